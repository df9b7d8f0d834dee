// SPDX-License-Identifier: Apache-2.0
package dev.pollux.architecture;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.PolluxSelectorProvider;
import dev.pollux.architecture.Arrows.Arrow;
import dev.pollux.internal.jdk.JdkAccess;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

/** The arrows between packages that ARCHITECTURE.md draws exist, and no others. */
class ArchitectureTest {

    private static final String ROOT = "dev.pollux";
    private static final String INTERNAL = ROOT + ".internal.";
    private static final String AGENT = ROOT + ".PolluxAgent";

    /** From a package to those it may use, beside its own and the JDK's exported ones. */
    private static final Map<String, Set<String>> ALLOWED = Map.of(
            ROOT, Set.of(INTERNAL + "startup", INTERNAL + "selector", INTERNAL + "poller", INTERNAL + "pollset",
                    INTERNAL + "arena", INTERNAL + "insight", INTERNAL + "jdk", INTERNAL + "jni"),
            INTERNAL + "startup", Set.of(INTERNAL + "selector", INTERNAL + "jdk", INTERNAL + "jni"),
            INTERNAL + "selector", Set.of(INTERNAL + "pollset", INTERNAL + "insight", INTERNAL + "jdk", "sun.nio.ch"),
            INTERNAL + "poller", Set.of(INTERNAL + "pollset", INTERNAL + "insight", INTERNAL + "jdk"),
            INTERNAL + "jdk", Set.of("sun.nio.ch", "javax.net.ssl"),
            INTERNAL + "pollset", Set.of(INTERNAL + "insight", INTERNAL + "jdk", INTERNAL + "jni"),
            INTERNAL + "arena", Set.of(INTERNAL + "jni"),
            INTERNAL + "insight", Set.of(),
            INTERNAL + "jni", Set.of());

    private static final List<Arrow> ARROWS = Arrows.of(classes());

    @Test
    void noOtherArrowExists() {
        assertEquals(Set.of(), offending(ARROWS, ArchitectureTest::isForbidden));
    }

    @Test
    void theArrowsThatMakeASelectionExist() {
        assertTrue(exists(ROOT, INTERNAL + "selector"));
        assertTrue(exists(INTERNAL + "selector", "sun.nio.ch"));
        assertTrue(exists(INTERNAL + "selector", INTERNAL + "pollset"));
        assertTrue(exists(INTERNAL + "pollset", INTERNAL + "jni"));
    }

    @Test
    void onlyTheAgentNeedsMoreThanJavaBase() {
        assertEquals(Set.of(), offending(ARROWS, arrow -> needsMoreThanJavaBase(arrow) && !isAgent(arrow)));
        assertTrue(ARROWS.stream().anyMatch(arrow -> isAgent(arrow) && arrow.home().equals("java.instrument")));
    }

    @Test
    void theInternalClassesThatStartUpLoadsAreThoseInUse() {
        Set<String> used = new TreeSet<>();
        ARROWS.stream().filter(arrow -> arrow.toPackage().equals("sun.nio.ch")).forEach(arrow -> used.add(arrow.to()));
        assertEquals(new TreeSet<>(JdkAccess.compiledAgainst()), used);
    }

    @Test
    void nobodyRefersToTheAgent() {
        assertEquals(Set.of(), offending(ARROWS, arrow -> arrow.to().equals(AGENT) && !isAgent(arrow)));
    }

    @Test
    void aForbiddenArrowIsFound() {
        List<Arrow> arrows = Arrows.parse("""
                   dev.pollux.internal.jni.Natives     -> dev.pollux.internal.pollset.PollSet   classes
                   dev.pollux.internal.pollset.PollSet -> sun.nio.ch.Net        JDK internal API (java.base)
                   dev.pollux.Diagnosis                -> sun.misc.Unsafe       JDK internal API (jdk.unsupported)
                   dev.pollux.Diagnosis                -> java.util.List        java.base
                """);
        assertEquals(4, arrows.size());
        assertEquals(3, offending(arrows, ArchitectureTest::isForbidden).size());
        assertEquals(1, offending(arrows, ArchitectureTest::needsMoreThanJavaBase).size());
    }

    private static boolean isForbidden(Arrow arrow) {
        String to = arrow.toPackage();
        return !to.equals(arrow.fromPackage()) && !to.startsWith("java.")
                && !ALLOWED.getOrDefault(arrow.fromPackage(), Set.of()).contains(to);
    }

    private static boolean needsMoreThanJavaBase(Arrow arrow) {
        return !arrow.toPackage().startsWith(ROOT) && !arrow.home().equals("java.base");
    }

    private static boolean isAgent(Arrow arrow) {
        return arrow.from().equals(AGENT);
    }

    private static boolean exists(String from, String to) {
        return ARROWS.stream().anyMatch(arrow -> arrow.fromPackage().equals(from) && arrow.toPackage().equals(to));
    }

    private static Set<String> offending(List<Arrow> arrows, Predicate<Arrow> offends) {
        Set<String> found = new TreeSet<>();
        arrows.stream().filter(offends).forEach(arrow -> found.add(arrow.from() + " -> " + arrow.to()));
        return found;
    }

    private static Path classes() {
        try {
            return Path.of(PolluxSelectorProvider.class.getProtectionDomain().getCodeSource().getLocation().toURI());
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }
}
