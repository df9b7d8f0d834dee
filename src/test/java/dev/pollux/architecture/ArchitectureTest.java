// SPDX-License-Identifier: Apache-2.0
package dev.pollux.architecture;

import static java.util.Map.entry;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.PolluxSelectorProvider;
import dev.pollux.architecture.Arrows.Arrow;
import dev.pollux.internal.jdk.JdkAccess;
import java.lang.reflect.Modifier;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The arrows between packages that ARCHITECTURE.md draws exist, and no others. */
class ArchitectureTest {

    private static final String ROOT = "dev.pollux";
    private static final String INTERNAL = ROOT + ".internal.";
    private static final String SERVER = ROOT + ".server";
    private static final String AGENT = ROOT + ".PolluxAgent";
    private static final String ATTACHMENT = INTERNAL + "top.Attachment";
    private static final String COUNT = INTERNAL + "count";
    private static final String VERDICT = INTERNAL + "verdict";
    private static final String TELL = INTERNAL + "tell";

    /** From a package to those it may use, beside its own and the JDK's exported ones. */
    private static final Map<String, Set<String>> ALLOWED = Map.ofEntries(
            entry(ROOT, Set.of(INTERNAL + "startup", INTERNAL + "selector", INTERNAL + "poller", INTERNAL + "pollset",
                    INTERNAL + "arena", INTERNAL + "batch", COUNT, TELL, INTERNAL + "jdk", INTERNAL + "jni",
                    INTERNAL + "tool", INTERNAL + "top", INTERNAL + "check", INTERNAL + "compare")),
            entry(SERVER, Set.of(INTERNAL + "startup", INTERNAL + "arena", INTERNAL + "batch", INTERNAL + "tls", COUNT,
                    INTERNAL + "jdk", INTERNAL + "jni", "javax.net.ssl")),
            entry(INTERNAL + "startup", Set.of(INTERNAL + "selector", INTERNAL + "batch", TELL, INTERNAL + "jdk",
                    INTERNAL + "jni")),
            entry(INTERNAL + "selector", Set.of(VERDICT, INTERNAL + "loop", INTERNAL + "registration",
                    INTERNAL + "pollset", INTERNAL + "batch", COUNT, INTERNAL + "jdk", "sun.nio.ch")),
            entry(INTERNAL + "poller", Set.of(INTERNAL + "loop", INTERNAL + "registration", INTERNAL + "pollset",
                    COUNT, INTERNAL + "jdk")),
            entry(INTERNAL + "loop", Set.of(INTERNAL + "pollset", COUNT, INTERNAL + "jdk")),
            entry(INTERNAL + "registration", Set.of(INTERNAL + "pollset")),
            entry(INTERNAL + "pollset", Set.of(INTERNAL + "batch", COUNT, INTERNAL + "jni")),
            entry(INTERNAL + "arena", Set.of(INTERNAL + "jni")),
            entry(INTERNAL + "batch", Set.of(COUNT, INTERNAL + "jdk", INTERNAL + "jni")),
            entry(INTERNAL + "jdk", Set.of("sun.nio.ch", "javax.net.ssl")),
            entry(INTERNAL + "tls", Set.of(INTERNAL + "jdk", "javax.net.ssl")),
            entry(INTERNAL + "top", Set.of(VERDICT, COUNT, INTERNAL + "tool")),
            entry(INTERNAL + "check", Set.of(INTERNAL + "startup", INTERNAL + "batch", INTERNAL + "jdk",
                    INTERNAL + "jni", INTERNAL + "tool")),
            entry(INTERNAL + "compare", Set.of(INTERNAL + "batch", INTERNAL + "jdk", INTERNAL + "tool")),
            entry(INTERNAL + "tool", Set.of(VERDICT, COUNT, INTERNAL + "jni")),
            entry(TELL, Set.of(VERDICT, COUNT, INTERNAL + "jdk")),
            entry(VERDICT, Set.of(COUNT, INTERNAL + "pollset", INTERNAL + "jdk", "sun.nio.ch")),
            entry(COUNT, Set.of()),
            entry(INTERNAL + "jni", Set.of()));

    /** Modules that may be absent, and the only classes that may need each. */
    private static final Map<String, Set<String>> OPTIONAL = Map.of(
            "java.instrument", Set.of(AGENT),
            "java.logging", Set.of(TELL + ".JdkFormatters"),
            "jdk.jfr", Set.of(TELL + ".JfrEvents", TELL + ".JfrFinding", TELL + ".JfrStatistics",
                    TELL + ".JfrObserver", TELL + ".Insight"),
            "jdk.attach", Set.of(ATTACHMENT),
            "java.management", Set.of(TELL + ".LoopsBean", TELL + ".LoopTable", VERDICT + ".LockOwner"));

    /** From a class that needs such a module to those that may refer to it, beside its like. */
    private static final Map<String, Set<String>> GATES = Map.of(
            AGENT, Set.of(),
            TELL + ".JdkFormatters", Set.of(TELL + ".Preparation"),
            TELL + ".JfrEvents", Set.of(),
            TELL + ".JfrFinding", Set.of(),
            TELL + ".JfrStatistics", Set.of(),
            TELL + ".JfrObserver", Set.of(),
            ATTACHMENT, Set.of(INTERNAL + "top.Top", INTERNAL + "top.Link"),
            TELL + ".LoopsBean", Set.of(TELL + ".Jmx"),
            VERDICT + ".LockOwner", Set.of(VERDICT + ".BlockedLoopReport", VERDICT + ".LoopSnapshot",
                    VERDICT + ".Stretch", VERDICT + ".Verdicts"),
            TELL + ".LoopTable", Set.of());

    /** What the provider needs, without what looks for trouble and tells of it. */
    private static final int MAX_CLASSES_OF_PROVIDER = 68;

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
    void theProviderNeedsFewClassesBesideThoseThatLookForTroubleAndTellOfIt() {
        Set<String> reached = new TreeSet<>();
        Deque<String> next = new ArrayDeque<>(List.of(PolluxSelectorProvider.class.getName()));
        while (!next.isEmpty()) {
            String from = next.remove();
            if (reached.add(from)) {
                ARROWS.stream().filter(arrow -> outermost(arrow.from()).equals(from) && arrow.to().startsWith(ROOT)
                        && !arrow.toPackage().equals(VERDICT) && !arrow.toPackage().equals(TELL))
                        .forEach(arrow -> next.add(outermost(arrow.to())));
            }
        }
        assertTrue(reached.size() <= MAX_CLASSES_OF_PROVIDER, reached.size() + ": " + reached);
    }

    /** What the interfaces of the server name stands above and below: an {@code Exchange} tells its server. */
    @Test
    void theArrowsAmongThePartsOfTheServerGoOneWay() {
        Set<Arrow> parts = new HashSet<>();
        ARROWS.stream().filter(arrow -> isPartOfServer(arrow.from()) && isPartOfServer(arrow.to()))
                .map(arrow -> new Arrow(outermost(arrow.from()), outermost(arrow.to()), ""))
                .filter(arrow -> !arrow.from().equals(arrow.to())).forEach(parts::add);
        assertTrue(parts.contains(new Arrow(SERVER + ".ServerLoops", SERVER + ".ServerLoop", "")));
        assertEquals(Set.of(), onCircles(parts));
    }

    /** Takes away, again and again, what no arrow leads to or leaves: the rest is on circles, or between two. */
    private static Set<String> onCircles(Set<Arrow> arrows) {
        Set<Arrow> left = new HashSet<>(arrows);
        boolean isChanged = true;
        while (isChanged) {
            Set<String> reached = left.stream().map(Arrow::to).collect(Collectors.toSet());
            Set<String> leaving = left.stream().map(Arrow::from).collect(Collectors.toSet());
            isChanged = left.removeIf(arrow -> !reached.contains(arrow.from()) || !leaving.contains(arrow.to()));
        }
        return left.stream().map(arrow -> arrow.from() + " -> " + arrow.to()).collect(Collectors.toSet());
    }

    private static boolean isPartOfServer(String name) {
        try {
            return name.startsWith(SERVER + '.') && !Modifier.isPublic(
                    Class.forName(outermost(name), false, ArchitectureTest.class.getClassLoader()).getModifiers());
        } catch (ClassNotFoundException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void aCircleIsFound() {
        Set<Arrow> arrows = Set.of(new Arrow("a", "b", ""), new Arrow("b", "c", ""), new Arrow("c", "b", ""),
                new Arrow("c", "d", ""));
        assertEquals(Set.of("b -> c", "c -> b"), onCircles(arrows));
    }

    @Test
    void noOtherClassNeedsMoreThanJavaBase() {
        assertEquals(Set.of(), offending(ARROWS, ArchitectureTest::needsMoreThanItMay));
        OPTIONAL.forEach((module, classes) -> classes.forEach(each -> assertTrue(ARROWS.stream()
                .anyMatch(arrow -> outermost(arrow.from()).equals(each) && arrow.home().equals(module)), each)));
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
                && !OPTIONAL.getOrDefault(arrow.home(), Set.of()).contains(outermost(arrow.from()));
    }

    private static boolean passesByAGate(Arrow arrow) {
        String from = outermost(arrow.from());
        Set<String> gate = GATES.get(outermost(arrow.to()));
        boolean isOfItsLike = OPTIONAL.values().stream()
                .anyMatch(classes -> classes.contains(from) && classes.contains(outermost(arrow.to())));
        return gate != null && !isOfItsLike && !gate.contains(from);
    }

    /** A nested class may do what the class around it may. */
    private static String outermost(String name) {
        return name.replaceFirst("\\$.*", "");
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
