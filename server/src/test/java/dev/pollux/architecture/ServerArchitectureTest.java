// SPDX-License-Identifier: Apache-2.0
package dev.pollux.architecture;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.PolluxSelectorProvider;
import dev.pollux.architecture.Arrows.Arrow;
import dev.pollux.lab.Home;
import dev.pollux.server.StreamServer;
import java.lang.reflect.Modifier;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The arrows between packages of the server, and to those of Pollux, exist, and no others. */
class ServerArchitectureTest {
    private static final String SERVER = "dev.pollux.server";
    private static final String INTERNAL = "dev.pollux.internal.";

    /** From a package to those it may use, beside its own and the JDK's exported ones. */
    private static final Map<String, Set<String>> ALLOWED = Map.of(
            SERVER, Set.of(INTERNAL + "startup", INTERNAL + "arena", INTERNAL + "batch", INTERNAL + "tls",
                    INTERNAL + "count", INTERNAL + "jdk", INTERNAL + "jni", "javax.net.ssl"),
            INTERNAL + "tls", Set.of(INTERNAL + "jdk", "javax.net.ssl"),
            INTERNAL + "arena", Set.of(INTERNAL + "jni"));

    private static final List<Arrow> ARROWS = Arrows.of(Home.of(StreamServer.class),
            Home.of(PolluxSelectorProvider.class));

    @Test
    void noOtherArrowExists() {
        assertEquals(Set.of(), ARROWS.stream().filter(arrow -> {
            String to = arrow.toPackage();
            return !to.equals(arrow.fromPackage()) && !to.startsWith("java.")
                    && !ALLOWED.getOrDefault(arrow.fromPackage(), Set.of()).contains(to);
        }).map(arrow -> arrow.from() + " -> " + arrow.to()).collect(Collectors.toSet()));
    }

    @Test
    void noClassNeedsMoreThanJavaBase() {
        assertEquals(Set.of(), ARROWS.stream().filter(arrow -> !arrow.toPackage().startsWith("dev.pollux")
                && !arrow.home().equals("java.base")).map(Arrow::toString).collect(Collectors.toSet()));
    }

    /** What the interfaces of the server name stands above and below: an {@code Exchange} tells its server. */
    @Test
    void theArrowsAmongThePartsOfTheServerGoOneWay() {
        Set<Arrow> parts = new HashSet<>();
        ARROWS.stream().filter(arrow -> isPartOfServer(arrow.from()) && isPartOfServer(arrow.to()))
                .map(arrow -> new Arrow(Arrows.outermost(arrow.from()), Arrows.outermost(arrow.to()), ""))
                .filter(arrow -> !arrow.from().equals(arrow.to())).forEach(parts::add);
        assertTrue(parts.contains(new Arrow(SERVER + ".ServerLoops", SERVER + ".ServerLoop", "")));
        assertEquals(Set.of(), Arrows.onCircles(parts));
    }

    private static boolean isPartOfServer(String name) {
        try {
            return name.startsWith(SERVER + '.') && !Modifier.isPublic(Class.forName(Arrows.outermost(name), false,
                    ServerArchitectureTest.class.getClassLoader()).getModifiers());
        } catch (ClassNotFoundException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void thePublicClassesAndMembersAreThoseOfTheList() {
        PublicInterface.assertIs("server-interface.txt", described());
    }

    @Test
    void methodsThatOnlyTellWhetherSomethingIsSoReadAsQuestions() {
        assertEquals("", PublicInterface.notAskedFor(described()));
    }

    @Test
    void noPublicMemberMentionsAnInternalClassAndNoneIsARecord() {
        assertFalse(described().contains(INTERNAL), ServerArchitectureTest::described);
        assertFalse(described().contains(" record "), ServerArchitectureTest::described);
    }

    private static String described() {
        return PublicInterface.of(Home.of(StreamServer.class), SERVER);
    }
}
