// SPDX-License-Identifier: Apache-2.0
package dev.pollux.loading;

import dev.pollux.loading.program.VirtualSelections;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Virtual threads that select do not keep others from running, even with one carrier for all of them. */
class VirtualThreadsIT {

    private static final String JDKS = "dev.pollux.loading.Jdk#allWithVirtualThreads";

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

    private static void select(Jdk jdk, String provider) throws Exception {
        Vm.on(jdk).with("-Djdk.virtualThreadScheduler.parallelism=1")
                .classPath(PolluxJar.path(), PolluxJar.programs()).provider(provider)
                .run(VirtualSelections.class).succeeds()
                .says("opened true", "another runs true", "still selecting 20", "ended true");
    }
}
