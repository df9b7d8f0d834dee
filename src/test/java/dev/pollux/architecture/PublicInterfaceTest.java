// SPDX-License-Identifier: Apache-2.0
package dev.pollux.architecture;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import dev.pollux.PolluxSelectorProvider;
import dev.pollux.lab.Home;
import org.junit.jupiter.api.Test;

/**
 * What is public in {@code dev.pollux} is what users may touch, and a change of it is made on purpose: the file
 * {@code public-interface.txt} lists every public class and its public and protected members.
 */
class PublicInterfaceTest {
    @Test
    void thePublicClassesAndMembersAreThoseOfTheList() {
        PublicInterface.assertIs("public-interface.txt", actual());
    }

    @Test
    void noPublicMemberMentionsAnInternalClass() {
        assertFalse(actual().contains("dev.pollux.internal"), actual());
    }

    /** Others do something and tell whether it was done. */
    @Test
    void methodsThatOnlyTellWhetherSomethingIsSoReadAsQuestions() {
        assertEquals("", PublicInterface.notAskedFor(actual()));
    }

    /** The number and order of a record's components are part of its interface, so it can't grow. */
    @Test
    void noPublicClassIsARecord() {
        assertFalse(actual().contains(" record "), actual());
    }

    private static String actual() {
        return PublicInterface.of(Home.of(PolluxSelectorProvider.class), "dev.pollux");
    }
}
