// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.jdk;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is said of properties that Pollux does not know. */
class PolluxPropertiesTest {
    @ParameterizedTest
    @CsvSource({"bacth, batch", "watch.block, watch.blocked", "libary.path, library.path", "tempdir, tmpdir",
        "server.mechanisms, server.mechanism"})
    void theNearestNameIsTold(String wrong, String right) {
        String name = "dev.pollux." + wrong;
        System.setProperty(name, "on");
        try {
            List<String> said = said(name);
            assertEquals(1, said.size(), said.toString());
            assertTrue(said.get(0).endsWith("did you mean dev.pollux." + right + '?'), said.toString());
        } finally {
            System.clearProperty(name);
        }
    }

    @ParameterizedTest
    @CsvSource({"dev.pollux.watch", "java.nio.channels.spi.SelectorProvider", "dev.polluxes"})
    void ofAKnownOrForeignNameNothingIsSaid(String name) {
        String before = System.getProperty(name);
        System.setProperty(name, "on");
        try {
            assertEquals(List.of(), said(name));
        } finally {
            if (before == null) {
                System.clearProperty(name);
            } else {
                System.setProperty(name, before);
            }
        }
    }

    @Test
    void namesAreInOrder() {
        assertEquals(PolluxProperties.known().stream().sorted().toList(), PolluxProperties.known());
    }

    private static List<String> said(String name) {
        Stream<String> said = PolluxProperties.unknown().stream();
        return said.filter(each -> each.startsWith("-D" + name + " has no effect")).toList();
    }
}
