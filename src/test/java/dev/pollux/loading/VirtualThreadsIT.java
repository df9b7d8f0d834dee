// SPDX-License-Identifier: Apache-2.0
package dev.pollux.loading;

import dev.pollux.loading.program.SharedCarriers;
import dev.pollux.loading.program.VirtualSelections;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Virtual threads that select do not keep others from running, however few carriers there are for all of them. */
class VirtualThreadsIT {

    private static final String JDKS = "dev.pollux.loading.Jdk#allWithVirtualThreads";

    /** JDKs where a thread that selects on epoll can leave its carrier. */
    private static final String JDKS_THAT_PARK = "dev.pollux.loading.Jdk#allThatParkSelections";

    @ParameterizedTest
    @MethodSource(JDKS)
    void moreSelectionsThanCarriersOnEpoll(Jdk jdk) throws Exception {
        select(jdk.from(21), "EPollSelectorProvider");
    }

    @ParameterizedTest
    @MethodSource(JDKS)
    void moreSelectionsThanCarriersOnPoll(Jdk jdk) throws Exception {
        select(jdk.from(21), "PollSelectorProvider");
    }

    @ParameterizedTest
    @MethodSource(JDKS_THAT_PARK)
    void readersLeaveTheOnlyCarrierToOthers(Jdk jdk) throws Exception {
        share(jdk, 1, 1, "1", "readers")
                .says("the readers read true", "the sleeper keeps up true", "carriers added: 0");
        share(jdk, 1, 1, "2", "readers")
                .says("the readers read true", "the sleeper keeps up true", "carriers added: 0");
    }

    @ParameterizedTest
    @MethodSource(JDKS_THAT_PARK)
    void moreReadersThanCarriersLeaveThemToOthers(Jdk jdk) throws Exception {
        share(jdk, 4, 4, "8", "readers").says("the readers read true", "the sleeper keeps up true");
    }

    @ParameterizedTest
    @MethodSource(JDKS_THAT_PARK)
    void readersLeaveTheOnlyCarrierThatIsNotBusyToOthers(Jdk jdk) throws Exception {
        share(jdk, 2, 256, "1", "spinners", "2", "readers").says("the readers read true", "the sleeper keeps up true");
    }

    @ParameterizedTest
    @MethodSource(JDKS_THAT_PARK)
    void readersDoNotUseUpTheLastCarriers(Jdk jdk) throws Exception {
        share(jdk, 4, 256, "240", "blocked", "4", "readers")
                .says("the readers read true", "the sleeper keeps up true", "carriers added: 0");
    }

    /** It is faster to block: a reader hears of events at once. */
    @ParameterizedTest
    @MethodSource(JDKS_THAT_PARK)
    void asManyReadersAsProcessorsBlockTheirCarriersWhereOthersTakeOver(Jdk jdk) throws Exception {
        share(jdk.from(25), 4, 256, "4", "readers")
                .says("the readers read true", "some carriers added true", "the sleeper keeps up true");
    }

    @ParameterizedTest
    @MethodSource(JDKS_THAT_PARK)
    void manyReadersDoNotBlockTheirCarriers(Jdk jdk) throws Exception {
        share(jdk, 4, 256, "30", "readers")
                .says("the readers read true", "few carriers added true", "the sleeper keeps up true");
    }

    @ParameterizedTest
    @MethodSource(JDKS_THAT_PARK)
    void wakersLeaveTheOnlyCarrierToOthers(Jdk jdk) throws Exception {
        share(jdk, 1, 1, "2", "wakers").says("the sleeper runs true");
    }

    @ParameterizedTest
    @MethodSource(JDKS_THAT_PARK)
    void hundredsOfTimeoutsEndInTimeOnOneCarrier(Jdk jdk) throws Exception {
        share(jdk, 1, 1, "300", "timeouts").says("the timeouts end true", "in time true", "the sleeper runs true");
    }

    private static Vm.Result share(Jdk jdk, int carriers, int most, String... threads) throws Exception {
        return Vm.on(jdk.from(24)).with("-XX:ActiveProcessorCount=4")
                .with("-Djdk.virtualThreadScheduler.parallelism=" + carriers)
                .with("-Djdk.virtualThreadScheduler.maxPoolSize=" + most)
                .classPath(PolluxJar.path(), PolluxJar.programs()).run(SharedCarriers.class, threads).succeeds();
    }

    private static void select(Jdk jdk, String provider) throws Exception {
        Vm.on(jdk).with("-Djdk.virtualThreadScheduler.parallelism=1")
                .classPath(PolluxJar.path(), PolluxJar.programs()).provider(provider)
                .run(VirtualSelections.class).succeeds()
                .says("opened true", "another runs true", "still selecting 20", "ended true");
    }
}
