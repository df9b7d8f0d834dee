// SPDX-License-Identifier: Apache-2.0
package dev.pollux.architecture;

import static java.util.stream.Collectors.joining;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.PolluxSelectorProvider;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/**
 * What is public in {@code dev.pollux} is what users may touch, and a change of it is made on purpose: the file
 * {@code public-interface.txt} lists every public class and its public and protected members.
 */
class PublicInterfaceTest {
    private static final String LIST = "public-interface.txt";

    @Test
    void thePublicClassesAndMembersAreThoseOfTheList() {
        assertEquals(list(), withoutPackages(actual()), "If the change is wanted, write the actual text into " + LIST);
    }

    @Test
    void noPublicMemberMentionsAnInternalClass() {
        assertFalse(actual().contains("dev.pollux.internal"), actual());
    }

    /** Others do something and tell whether it was done. */
    @Test
    void methodsThatOnlyTellWhetherSomethingIsSoReadAsQuestions() {
        String others = list().lines().filter(line -> line.matches(".* boolean .*\\(.*"))
                .filter(line -> !line.matches(".*\\.((is|has|supports)([A-Z].*)?|equals|send)\\(.*"))
                .collect(joining("\n"));
        assertEquals("", others);
    }

    /** The number and order of a record's components are part of its interface, so it can't grow. */
    @Test
    void noPublicClassIsARecord() {
        assertFalse(actual().contains(" record "), actual());
    }

    /** What {@code check} starts is on the mechanism that it checks. */
    @Test
    void theDiagnosisHasEachProviderOfOneMechanism() throws IOException {
        String diagnosis = Files.readString(Path.of("src/main/java/dev/pollux/Diagnosis.java"));
        list().lines().filter(line -> line.matches("public final class \\w+ extends PolluxSelectorProvider"))
                .map(line -> "new " + line.split(" ")[3] + "()")
                .forEach(made -> assertTrue(diagnosis.contains(made), made));
    }

    private static String actual() {
        return PublicInterface.of(classes(), "dev.pollux") + PublicInterface.of(classes(), "dev.pollux.server");
    }

    private static String withoutPackages(String described) {
        return described.replaceAll("\\b([a-z][a-z0-9]*\\.)+(?=[A-Z])", "");
    }

    private static Path classes() {
        return Path.of(URI.create(
                PolluxSelectorProvider.class.getProtectionDomain().getCodeSource().getLocation().toString()));
    }

    private static String list() {
        try (InputStream in = PublicInterfaceTest.class.getResourceAsStream(LIST)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
