// SPDX-License-Identifier: Apache-2.0
package dev.pollux.architecture;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.PolluxSelectorProvider;
import dev.pollux.architecture.Arrows.Arrow;
import dev.pollux.lab.Home;
import dev.pollux.tools.Main;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The arrows between packages of the tools, and to those of Pollux, exist, and no others. */
class ToolsArchitectureTest {
    private static final String TOOLS = "dev.pollux.tools";
    private static final String INTERNAL = "dev.pollux.internal.";

    /** From a package to those of ours that it may use, beside its own. */
    private static final Map<String, Set<String>> ALLOWED = Map.of(
            TOOLS, Set.of(TOOLS + ".check", TOOLS + ".compare", TOOLS + ".top", "dev.pollux", INTERNAL + "startup",
                    INTERNAL + "jni"),
            TOOLS + ".check", Set.of(TOOLS + ".common", "dev.pollux", INTERNAL + "startup", INTERNAL + "batch",
                    INTERNAL + "jdk", INTERNAL + "jni"),
            TOOLS + ".compare", Set.of(TOOLS + ".common", INTERNAL + "batch", INTERNAL + "jdk"),
            TOOLS + ".top", Set.of(TOOLS + ".common", INTERNAL + "count", INTERNAL + "tell"),
            TOOLS + ".common", Set.of(INTERNAL + "count", INTERNAL + "verdict"));

    /** The runtime of {@code top} may lack it, so that one class alone touches it. */
    private static final String ATTACH = "com.sun.tools.attach";

    private static final List<Arrow> ARROWS = Arrows.of(Home.of(Main.class),
            Home.of(PolluxSelectorProvider.class));

    @Test
    void noOtherArrowExists() {
        assertEquals(Set.of(), ARROWS.stream().filter(arrow -> arrow.toPackage().startsWith("dev.pollux")
                && !arrow.toPackage().equals(arrow.fromPackage())
                && !ALLOWED.getOrDefault(arrow.fromPackage(), Set.of()).contains(arrow.toPackage()))
                .map(arrow -> arrow.from() + " -> " + arrow.to()).collect(Collectors.toSet()));
        assertTrue(ARROWS.stream().anyMatch(arrow -> arrow.toPackage().equals(INTERNAL + "tell")));
    }

    @Test
    void oneClassTouchesTheAttachApi() {
        assertEquals(Set.of(TOOLS + ".top.Attachment"), ARROWS.stream()
                .filter(arrow -> arrow.toPackage().equals(ATTACH)).map(arrow -> Arrows.outermost(arrow.from()))
                .collect(Collectors.toSet()));
    }
}
