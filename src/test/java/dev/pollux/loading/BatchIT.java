// SPDX-License-Identifier: Apache-2.0
package dev.pollux.loading;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.pollux.loading.batch.BatchCases;
import dev.pollux.loading.batch.BatchEdges;
import dev.pollux.loading.batch.BatchLacks;
import dev.pollux.loading.batch.BatchStress;
import dev.pollux.loading.batch.EchoServer;
import dev.pollux.loading.calls.AsynchronousCalls;
import dev.pollux.loading.calls.BlockedCalls;
import dev.pollux.loading.calls.StreamCalls;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** With a batch, channels behave as without one. */
class BatchIT {
    private static final String JDKS = "dev.pollux.loading.Jdk#all";

    @TempDir
    private Path folder;

    static Stream<Arguments> jdksAndBatches() {
        return Jdk.all().stream().flatMap(jdk -> Stream.of("writes", "all").map(batch -> Arguments.of(jdk, batch)));
    }

    @ParameterizedTest
    @MethodSource("jdksAndBatches")
    void everyByteOfTcpIsRight(Jdk jdk, String batch) throws Exception {
        requireEveryByte(jdk, batch, "tcp", "1");
    }

    @ParameterizedTest
    @MethodSource("jdksAndBatches")
    void everyByteOfTheUnixDomainIsRight(Jdk jdk, String batch) throws Exception {
        requireEveryByte(jdk, batch, "unix", "2");
    }

    private static void requireEveryByte(Jdk jdk, String batch, String domain, String seed) throws Exception {
        Batching.require(jdk);
        Batching.vm(jdk, batch).run(BatchStress.class, "3000", domain, seed).succeeds().says("every byte was right");
    }

    @ParameterizedTest
    @MethodSource("jdksAndBatches")
    void whatIsNotReadIsReportedAgain(Jdk jdk, String batch) throws Exception {
        play(jdk, batch, "unread");
    }

    @ParameterizedTest
    @MethodSource("jdksAndBatches")
    void whatIsNotReadGoesAlong(Jdk jdk, String batch) throws Exception {
        play(jdk, batch, "reregistered");
    }

    @ParameterizedTest
    @MethodSource("jdksAndBatches")
    void anErrorIsThrownByTheNextOperation(Jdk jdk, String batch) throws Exception {
        play(jdk, batch, "reset");
    }

    @ParameterizedTest
    @MethodSource("jdksAndBatches")
    void nothingIsLostByAnOrderlyEnd(Jdk jdk, String batch) throws Exception {
        assertEquals(201 * 600, play(jdk, batch, "exit"));
    }

    @ParameterizedTest
    @MethodSource("jdksAndBatches")
    void nothingIsLostByHalt(Jdk jdk, String batch) throws Exception {
        assertEquals(201 * 600, play(jdk, batch, "halt"));
    }

    @ParameterizedTest
    @MethodSource("jdksAndBatches")
    void countersTellOfIt(Jdk jdk, String batch) throws Exception {
        play(jdk, batch, "counted");
    }

    static Stream<Arguments> edges() {
        return jdksAndBatches().flatMap(each -> Stream.of("selectors", "abort", "blocking", "error", "waiting",
                "virtual", "unix", "whole").map(edge -> Arguments.of(each.get()[0], each.get()[1], edge)));
    }

    @ParameterizedTest
    @MethodSource("edges")
    void whatPeersAndOtherThreadsSeeIsAsWithoutABatch(Jdk jdk, String batch, String edge) throws Exception {
        Batching.require(jdk);
        Vm.Result result = Batching.vm(jdk, batch).run(BatchEdges.class, edge).succeeds().says("as it should be");
        assertFalse(result.out().contains("deferredWrites=0,"), result::out);
    }

    /** Peers that read slowly, and sockets that are full when the process ends. */
    @ParameterizedTest
    @MethodSource("jdksAndBatches")
    void fullSocketsLoseNothingByAnOrderlyEnd(Jdk jdk, String batch) throws Exception {
        Batching.require(jdk);
        try (EchoServer server = new EchoServer()) {
            Vm.Result result = Batching.vm(jdk, batch).run(BatchCases.class, Integer.toString(server.port()), "full")
                    .succeeds().says("as it should be");
            String accepted = result.out().replaceAll("(?s).*accepted (\\d+)\\b.*", "$1");
            assertEquals(Long.parseLong(accepted), server.received() - 200 * 600);
        }
    }

    /** Returns the bytes that the server got. */
    private static long play(Jdk jdk, String batch, String what) throws Exception {
        Batching.require(jdk);
        try (EchoServer server = new EchoServer()) {
            Vm.Result result = Batching.vm(jdk, batch).with("-Ddev.pollux.jmx=true")
                    .run(BatchCases.class, Integer.toString(server.port()), what).succeeds()
                    .says("as it should be", "deferredWrites=");
            assertFalse(result.out().contains("deferredWrites=0,"), result::out);
            return server.received();
        }
    }

    /** As an ordinary user: root has no limit of locked memory. */
    @ParameterizedTest
    @MethodSource(JDKS)
    void whereLittleMemoryMayBeLockedSelectorsOpenAndItIsSaidOnce(Jdk jdk) throws Exception {
        Batching.require(jdk);
        boolean isRoot = System.getProperty("user.name").equals("root");
        String user = isRoot ? "setpriv --reuid=65534 --clear-groups " : "";
        assumeTrue(new ProcessBuilder("sh", "-c", "ulimit -l 64 && " + user + "true").start().waitFor() == 0,
                "root can't be others here");
        Vm.Result result = Batching.vm(jdk, "all").with("--enable-native-access=ALL-UNNAMED")
                .through("sh", "-c", "ulimit -l 64 && exec " + user + "\"$@\"", "sh")
                .run(BatchLacks.class, "12").succeeds().says(" of 12 defer", "as it should be");
        assertFalse(result.out().contains("12 of 12"), result::toString);
        assertEquals(2, result.err().split("has no effect", -1).length, result::toString);
    }

    static Stream<Arguments> sandboxes() {
        return Jdk.all().stream().flatMap(jdk -> Stream.of("epoll_pwait2", "epoll_pwait2,ppoll", "io_uring_enter",
                "sendto").flatMap(calls -> Stream.of("EPERM", "ENOSYS").map(error -> Arguments.of(jdk, error, calls))));
    }

    /** A sandbox that permits io_uring, but not all else. */
    @ParameterizedTest
    @MethodSource("sandboxes")
    void aSandboxLosesNothingAndNothingSpins(Jdk jdk, String error, String calls) throws Exception {
        Batching.require(jdk);
        Vm.Result result = sandboxed(jdk, error, calls).run(BatchLacks.class, "slow").succeeds()
                .says("as it should be").warnsOfNothing();
        boolean hasRests = result.out().lines().anyMatch(line -> line.matches("selections=.*deferredRests=[1-9].*"));
        assertTrue(hasRests, result::toString);
    }

    @ParameterizedTest
    @MethodSource(JDKS)
    void withoutAnEventfdASelectorOpensWithoutABatchAndItIsSaidOnce(Jdk jdk) throws Exception {
        Batching.require(jdk);
        for (String error : List.of("EPERM", "ENOSYS")) {
            Vm.Result result = sandboxed(jdk, error, "eventfd2").run(BatchLacks.class, "3").succeeds()
                    .says("0 of 3 defer", "as it should be");
            assertEquals(2, result.err().split("has no effect", -1).length, result::toString);
        }
    }

    private Vm sandboxed(Jdk jdk, String error, String calls) throws Exception {
        Path source = Path.of("src/test/faults/refuse_calls.c");
        Path launcher = folder.resolve("refuse_calls");
        assumeTrue(Files.exists(source) && new ProcessBuilder("sh", "-c", "command -v cc").start().waitFor() == 0,
                "no C compiler, or no source");
        assertEquals(0, new ProcessBuilder("cc", "-D_GNU_SOURCE", "-o", launcher.toString(), source.toString())
                .inheritIO().start().waitFor());
        return Batching.vm(jdk, "all").with("--enable-native-access=ALL-UNNAMED")
                .through(launcher.toString(), error, calls);
    }

    @ParameterizedTest
    @MethodSource(JDKS)
    void callsHaveTheSameResults(Jdk jdk) throws Exception {
        Batching.require(jdk);
        for (List<Object> each : List.<List<Object>>of(List.of(StreamCalls.class, "tcp"),
                List.of(StreamCalls.class, "unix"), List.of(BlockedCalls.class, "platform"))) {
            compare(jdk, (Class<?>) each.get(0), (String) each.get(1));
        }
        compare(jdk, AsynchronousCalls.class);
    }

    private static void compare(Jdk jdk, Class<?> program, String... arguments) throws Exception {
        assertEquals(transcript(Batching.vm(jdk, "off").with("-Ddev.pollux.calls=off"), program, arguments),
                transcript(Batching.vm(jdk, "all"), program, arguments));
    }

    /** Without the first line, which names the replaced methods. */
    private static String transcript(Vm vm, Class<?> program, String... arguments) throws Exception {
        Vm.Result result = vm.run(program, arguments).succeeds();
        assumeFalse(result.err().contains("strace cannot attach"), result::err);
        return result.out().substring(result.out().indexOf('\n'));
    }

    @Test
    void aWrongValueIsRefused() throws Exception {
        Vm.on(Jdk.running()).with("-Ddev.pollux.batch=maybe").provider("PolluxSelectorProvider")
                .classPath(PolluxJar.path(), PolluxJar.programs()).run(BatchStress.class, "1", "tcp", "1").fails()
                .warns("the property dev.pollux.batch is maybe; it must be off, writes or all");
    }

    @ParameterizedTest
    @MethodSource(JDKS)
    void theAgentSwitchesItOn(Jdk jdk) throws Exception {
        Batching.require(jdk);
        Vm.on(jdk).with("-javaagent:" + PolluxJar.path() + "=batch=writes").classPath(PolluxJar.programs())
                .run(BatchStress.class, "500", "tcp", "3").succeeds().says("deferredBytes=");
    }
}
