// SPDX-License-Identifier: Apache-2.0
package dev.pollux.loading;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.lab.Injection;
import dev.pollux.loading.program.FaultyLoop;
import java.io.File;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What the log, a recording, JMX's table, its notifications and {@code top} say of one loop is the same. */
class OneVerdictIT {
    private static final long PATIENCE_NANOS = 30_000_000_000L;

    /** A thread counts as lost after ten seconds; nothing else takes as long. */
    private static final long QUIET_MILLIS = 15_000;

    private Server server;

    /** A fault of a loop, and what each of the five must say of it. */
    private enum Fault {
        SPIN("spin", "spins", "the stream has ended", "Spin", "spin", "SourceChannel"),
        STORM("storm", "wakeup storm", "is woken ", "WakeupStorm", "wakeupStorm", "waker"),
        BLOCKED("blocked", "blocked", "is blocked: ", "Blocked", "blocked", "FaultyLoop.block"),
        LOST("lost", "thread lost", "No thread selects", "LostThread", "lostThread", "faulty"),
        REFUSED("refused", "refuses", "No space left on device", "RefusedRegistration", "refusedRegistration",
                "No space left on device");

        private final String program;
        private final String verdict;
        private final String logged;
        private final String event;
        private final String notification;

        /** What names the culprit. */
        private final String evidence;

        Fault(String program, String verdict, String logged, String event, String notification, String evidence) {
            this.program = program;
            this.verdict = verdict;
            this.logged = logged;
            this.event = event;
            this.notification = notification;
            this.evidence = evidence;
        }
    }

    static Stream<Arguments> jdksAndFaults() {
        return Jdk.all().stream().flatMap(jdk -> Stream.of(Fault.values()).map(fault -> Arguments.of(jdk, fault)));
    }

    @AfterEach
    void end() throws IOException {
        if (server != null) {
            server.close();
        }
    }

    private void start(Jdk jdk, String fault, String... options) throws IOException {
        List<String> command = new ArrayList<>(List.of("-Ddev.pollux.jmx=true",
                "-Djava.nio.channels.spi.SelectorProvider=dev.pollux.PolluxSelectorProvider", "-cp",
                PolluxJar.path() + File.pathSeparator + PolluxJar.programs()));
        command.addAll(List.of(options));
        command.add(FaultyLoop.class.getName());
        command.add(fault);
        server = Server.started(jdk.java(), command.toArray(String[]::new));
    }

    private void awaitLogged(String words) throws InterruptedException {
        for (long end = System.nanoTime() + PATIENCE_NANOS; !server.errors().contains(words);) {
            assertTrue(System.nanoTime() < end, () -> "not logged: " + words + "; but " + server.errors());
            Thread.sleep(50);
        }
    }

    /** What top says of the first loop. */
    private Map<?, ?> top() throws Exception {
        Vm.Result result = ToolsJar.run(Vm.on(Jdk.running()), "top", Long.toString(server.pid()), "--once",
                "--json").succeeds();
        return (Map<?, ?>) JsonReader.read(result.out(), "loops", 0);
    }

    /** A channel that is refused is closed, and another one opened: they have other ports and descriptors. */
    private static String withoutNumbers(String evidence) {
        return evidence.replaceAll("[0-9]+", "N");
    }

    /** {@return the evidence, which JMX and top both have} */
    private String assertVerdict(String verdict) throws Exception {
        String[] table = server.ask("table").split("\t");
        Map<?, ?> top = top();
        assertEquals(verdict, table[0]);
        assertEquals(verdict, top.get("verdict"));
        assertEquals(withoutNumbers(table[2]), withoutNumbers(top.get("evidence").toString().replaceAll("\\s+", " ")));
        boolean isSince = Long.parseLong(table[1]) > 0;
        assertEquals(!verdict.isEmpty(), isSince, table[1]);
        assertTrue(((Double) top.get("verdictNanos")).longValue() >= Long.parseLong(table[1]), top.toString());
        return table[2];
    }

    @ParameterizedTest
    @MethodSource("jdksAndFaults")
    void allSayTheSameOfAFault(Jdk jdk, Fault fault) throws Exception {
        if (fault == Fault.REFUSED) {
            Injection.needed();
        }
        start(jdk, fault.program);
        awaitLogged(fault.logged);
        String evidence = assertVerdict(fault.verdict);
        assertTrue(evidence.contains(fault.evidence), evidence);
        assertEquals("[dev.pollux." + fault.notification + "]", server.ask("notified"));
        assertEquals("[dev.pollux." + fault.event + "]", server.ask("recorded"));
    }

    /** Its threads take turns, and each ends. */
    @ParameterizedTest
    @MethodSource("dev.pollux.loading.Jdk#all")
    void allAreSilentOfAPoolWhoseThreadsTakeTurns(Jdk jdk) throws Exception {
        start(jdk, "turns");
        for (long end = System.nanoTime() + QUIET_MILLIS * 1_000_000; System.nanoTime() < end;) {
            assertEquals("", assertVerdict(""));
        }
        assertNothingIsSaid();
    }

    /** The log's limit is the limit of all. */
    @ParameterizedTest
    @MethodSource("dev.pollux.loading.Jdk#all")
    void allObeyAnotherLimitOfBlockedLoops(Jdk jdk) throws Exception {
        start(jdk, "blocked", "-Ddev.pollux.watch.blocked=300");
        awaitLogged("is blocked: ");
        assertVerdict("blocked");
    }

    /** There are events, but not for long enough for a warning. */
    @ParameterizedTest
    @MethodSource("dev.pollux.loading.Jdk#all")
    void aLoopThatIsStalledIsNotBlockedYet(Jdk jdk) throws Exception {
        start(jdk, "blocked", "-Ddev.pollux.watch.blocked=100000");
        Thread.sleep(4000);
        assertVerdict("stalled");
        assertNothingIsSaid();
    }

    private void assertNothingIsSaid() throws IOException {
        assertEquals("[]", server.ask("notified"));
        assertEquals("[]", server.ask("recorded"));
        assertFalse(server.errors().contains("WARNING: Selector") || server.errors().contains("No thread selects"),
                server::errors);
        assertFalse(server.errors().contains("is blocked"), server::errors);
    }
}
