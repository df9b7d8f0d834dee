// SPDX-License-Identifier: Apache-2.0
package dev.pollux.architecture;

import static java.util.Map.entry;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.PolluxSelectorProvider;
import dev.pollux.architecture.Arrows.Arrow;
import dev.pollux.internal.jdk.JdkAccess;
import dev.pollux.lab.Home;
import java.util.ArrayDeque;
import java.util.Deque;
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
    private static final String COUNT = INTERNAL + "count";
    private static final String VERDICT = INTERNAL + "verdict";
    private static final String TELL = INTERNAL + "tell";

    /** From a package to those it may use, beside its own and the JDK's exported ones. */
    private static final Map<String, Set<String>> ALLOWED = Map.ofEntries(
            entry(ROOT, Set.of(INTERNAL + "startup", INTERNAL + "selector", INTERNAL + "poller", INTERNAL + "pollset",
                    INTERNAL + "batch", COUNT, TELL, INTERNAL + "jdk", INTERNAL + "jni")),
            entry(INTERNAL + "startup", Set.of(INTERNAL + "selector", INTERNAL + "batch", TELL, INTERNAL + "jdk",
                    INTERNAL + "jni")),
            entry(INTERNAL + "selector", Set.of(VERDICT, INTERNAL + "loop", INTERNAL + "registration",
                    INTERNAL + "pollset", INTERNAL + "batch", COUNT, INTERNAL + "jdk", "sun.nio.ch")),
            entry(INTERNAL + "poller", Set.of(INTERNAL + "loop", INTERNAL + "registration", INTERNAL + "pollset",
                    COUNT, INTERNAL + "jdk")),
            entry(INTERNAL + "loop", Set.of(INTERNAL + "pollset", COUNT, INTERNAL + "jdk")),
            entry(INTERNAL + "registration", Set.of(INTERNAL + "pollset")),
            entry(INTERNAL + "pollset", Set.of(INTERNAL + "batch", COUNT, INTERNAL + "jni")),
            entry(INTERNAL + "batch", Set.of(COUNT, INTERNAL + "jdk", INTERNAL + "jni")),
            entry(INTERNAL + "jdk", Set.of("sun.nio.ch", "javax.net.ssl")),
            entry(TELL, Set.of(VERDICT, COUNT, INTERNAL + "jdk")),
            entry(VERDICT, Set.of(COUNT, INTERNAL + "pollset", INTERNAL + "jdk", "sun.nio.ch")),
            entry(COUNT, Set.of()),
            entry(INTERNAL + "jni", Set.of()));

    /** Modules that may be absent, and the only classes that may need each. */
    private static final Map<String, Set<String>> OPTIONAL = Map.of(
            "java.instrument", Set.of(AGENT),
            "java.logging", Set.of(TELL + ".JdkFormatters"),
            "jdk.jfr", Set.of(TELL + ".JfrFinding", TELL + ".JfrStatistics", TELL + ".JfrObserver",
                    TELL + ".Insight"),
            "java.management", Set.of(TELL + ".LoopsBean", TELL + ".LoopTable", VERDICT + ".LockOwner"));

    /** From a class that needs such a module to those that may refer to it, beside its like. */
    private static final Map<String, Set<String>> GATES = Map.of(
            AGENT, Set.of(),
            TELL + ".JdkFormatters", Set.of(TELL + ".Preparation"),
            TELL + ".JfrFinding", Set.of(),
            TELL + ".JfrStatistics", Set.of(),
            TELL + ".JfrObserver", Set.of(),
            TELL + ".LoopsBean", Set.of(TELL + ".Jmx"),
            VERDICT + ".LockOwner", Set.of(VERDICT + ".BlockedLoopReport", VERDICT + ".LoopSnapshot",
                    VERDICT + ".Stretch", VERDICT + ".Verdicts"),
            TELL + ".LoopTable", Set.of());

    /** What the provider needs, without what looks for trouble and tells of it. */
    private static final int MAX_CLASSES_OF_PROVIDER = 68;

    private static final List<Arrow> ARROWS = Arrows.of(Home.of(PolluxSelectorProvider.class));

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
    void theProviderNeedsFewClassesBesideThoseThatLookForTroubleAndTellOfIt() {
        Set<String> reached = new TreeSet<>();
        Deque<String> next = new ArrayDeque<>(List.of(PolluxSelectorProvider.class.getName()));
        while (!next.isEmpty()) {
            String from = next.remove();
            if (reached.add(from)) {
                ARROWS.stream().filter(arrow -> Arrows.outermost(arrow.from()).equals(from)
                        && arrow.to().startsWith(ROOT) && !arrow.toPackage().equals(VERDICT)
                        && !arrow.toPackage().equals(TELL))
                        .forEach(arrow -> next.add(Arrows.outermost(arrow.to())));
            }
        }
        assertTrue(reached.size() <= MAX_CLASSES_OF_PROVIDER, reached.size() + ": " + reached);
    }

    @Test
    void aCircleIsFound() {
        Set<Arrow> arrows = Set.of(new Arrow("a", "b", ""), new Arrow("b", "c", ""), new Arrow("c", "b", ""),
                new Arrow("c", "d", ""));
        assertEquals(Set.of("b -> c", "c -> b"), Arrows.onCircles(arrows));
    }

    @Test
    void noOtherClassNeedsMoreThanJavaBase() {
        assertEquals(Set.of(), offending(ARROWS, ArchitectureTest::needsMoreThanItMay));
        OPTIONAL.forEach((module, classes) -> classes.forEach(each -> assertTrue(ARROWS.stream()
                .anyMatch(arrow -> Arrows.outermost(arrow.from()).equals(each) && arrow.home().equals(module)), each)));
    }

    @Test
    void whatNeedsMoreIsReachedThroughItsGateAlone() {
        assertEquals(Set.of(), offending(ARROWS, ArchitectureTest::passesByAGate));
    }

    @Test
    void theInternalClassesThatStartUpLoadsAreThoseInUse() {
        Set<String> used = new TreeSet<>();
        ARROWS.stream().filter(arrow -> arrow.toPackage().equals("sun.nio.ch")).forEach(arrow -> used.add(arrow.to()));
        assertEquals(new TreeSet<>(JdkAccess.compiledAgainst()), used);
    }

    @Test
    void aForbiddenArrowIsFound() {
        List<Arrow> arrows = Arrows.parse("""
                   dev.pollux.internal.jni.Natives     -> dev.pollux.internal.pollset.PollSet   classes
                   dev.pollux.internal.pollset.PollSet -> sun.nio.ch.Net        JDK internal API (java.base)
                   dev.pollux.Diagnosis                -> sun.misc.Unsafe       JDK internal API (jdk.unsupported)
                   dev.pollux.Diagnosis                -> java.util.List        java.base
                   dev.pollux.Diagnosis                -> javax.management.Query    java.management
                   dev.pollux.Diagnosis                -> dev.pollux.PolluxAgent    classes
                """);
        assertEquals(6, arrows.size());
        assertEquals(3, offending(arrows, ArchitectureTest::isForbidden).size());
        assertEquals(2, offending(arrows, ArchitectureTest::needsMoreThanItMay).size());
        assertEquals(1, offending(arrows, ArchitectureTest::passesByAGate).size());
    }

    private static boolean isForbidden(Arrow arrow) {
        String to = arrow.toPackage();
        return !to.equals(arrow.fromPackage()) && !to.startsWith("java.") && !OPTIONAL.containsKey(arrow.home())
                && !ALLOWED.getOrDefault(arrow.fromPackage(), Set.of()).contains(to);
    }

    private static boolean needsMoreThanItMay(Arrow arrow) {
        return !arrow.toPackage().startsWith(ROOT) && !arrow.home().equals("java.base")
                && !OPTIONAL.getOrDefault(arrow.home(), Set.of()).contains(Arrows.outermost(arrow.from()));
    }

    private static boolean passesByAGate(Arrow arrow) {
        String from = Arrows.outermost(arrow.from());
        Set<String> gate = GATES.get(Arrows.outermost(arrow.to()));
        boolean isOfItsLike = OPTIONAL.values().stream()
                .anyMatch(classes -> classes.contains(from) && classes.contains(Arrows.outermost(arrow.to())));
        return gate != null && !isOfItsLike && !gate.contains(from);
    }

    private static boolean exists(String from, String to) {
        return ARROWS.stream().anyMatch(arrow -> arrow.fromPackage().equals(from) && arrow.toPackage().equals(to));
    }

    private static Set<String> offending(List<Arrow> arrows, Predicate<Arrow> offends) {
        Set<String> found = new TreeSet<>();
        arrows.stream().filter(offends).forEach(arrow -> found.add(arrow.from() + " -> " + arrow.to()));
        return found;
    }
}
