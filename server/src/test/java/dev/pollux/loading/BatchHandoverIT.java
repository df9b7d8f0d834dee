// SPDX-License-Identifier: Apache-2.0
package dev.pollux.loading;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.loading.batch.BatchFuzz;
import dev.pollux.loading.batch.BatchHandover;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Channels that leave their selector with a batch, for a StreamServer among others, behave as without one. */
class BatchHandoverIT {
    private static final String JDKS = "dev.pollux.loading.Jdk#all";

    private static Vm batching(Jdk jdk, String batch) {
        return Batching.vm(jdk, batch, ServerJar.path(), ServerJar.programs());
    }

    static Stream<Arguments> handovers() {
        return Jdk.all().stream().flatMap(jdk -> Stream.of("adopt", "poller", "poller beside", "pollux",
                "pollux at once", "pollux beside", "epoll", "epoll beside", "poll", "poll beside", "blocking",
                "blocking at once", "channel stream", "socket stream", "file", "thread", "loop", "loop at once",
                "closed selector", "after a closed selector").map(who -> Arguments.of(jdk, who)));
    }

    /** Each way in which a descriptor leaves its selector, with unread bytes, and those that the kernel is owed. */
    @ParameterizedTest
    @MethodSource("handovers")
    void whoeverTakesAChannelOverTakesAlongWhatIsUnreadAndUnsent(Jdk jdk, String who) throws Exception {
        Batching.require(jdk);
        assertEquals(handOver(jdk, "off", who), handOver(jdk, "all", who));
    }

    /** What it prints but for counters. */
    private static String handOver(Jdk jdk, String batch, String who) throws Exception {
        Vm.Result result = batching(jdk, batch).with("--add-exports", "java.base/sun.nio.ch=ALL-UNNAMED")
                .run(BatchHandover.class, who, "nothing", "deferred", "rest").succeeds();
        assertEquals(3, result.out().lines().filter("as it should be"::equals).count(), result::toString);
        if (!batch.equals("off")) {
            assertOwed(result, "deferred", "deferredWrites=0,");
            assertOwed(result, "rest", "deferredRests=0,");
        }
        return result.out().lines().filter(line -> !line.matches("(warm|owed): .*")).collect(Collectors.joining("\n"));
    }

    private static void assertOwed(Vm.Result result, String owed, String none) {
        assertTrue(result.out().lines().anyMatch(line -> line.startsWith("owed: " + owed + ",")
                && !line.contains(none)), result::toString);
    }

    /** CONTRIBUTING.md has the command for more operations. */
    @ParameterizedTest
    @MethodSource(JDKS)
    void randomOperationsEndAsWithoutABatch(Jdk jdk) throws Exception {
        Batching.require(jdk);
        String operations = System.getProperty("pollux.test.fuzz", "20000");
        String seed = System.getProperty("pollux.test.seed", "1");
        String without = outcomes(jdk, "off", operations, seed);
        for (String batch : List.of("writes", "all")) {
            assertEquals(without, outcomes(jdk, batch, operations, seed));
        }
    }

    private static String outcomes(Jdk jdk, String batch, String operations, String seed) throws Exception {
        Vm.Result result = batching(jdk, batch).patience(3600).run(BatchFuzz.class, operations, seed).succeeds()
                .says("every byte was right");
        boolean defers = result.out().lines().anyMatch(line -> line.matches(".*deferredWrites=[1-9].*"));
        assertEquals(!batch.equals("off"), defers, result::toString); // one of the two threads at least
        return result.out().lines().filter(line -> line.startsWith("outcomes ")).findFirst().orElseThrow();
    }
}
