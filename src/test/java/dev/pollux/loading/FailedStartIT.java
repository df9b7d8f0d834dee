// SPDX-License-Identifier: Apache-2.0
package dev.pollux.loading;

import dev.pollux.loading.program.OpenAtEndOfStack;
import dev.pollux.loading.program.OpenInFullHeap;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A first open that fails for want of memory or stack does not make later ones fail. */
class FailedStartIT {
    private static final String JDKS = "dev.pollux.loading.Jdk#all";

    @ParameterizedTest
    @MethodSource(JDKS)
    void aFullHeapIsForgotten(Jdk jdk) throws Exception {
        fullHeap(jdk, "400");
    }

    @ParameterizedTest
    @MethodSource(JDKS)
    void aHeapThatIsFullToManyLevelsIsForgotten(Jdk jdk) throws Exception {
        fullHeap(jdk, IntStream.rangeClosed(1, 60).mapToObj(n -> Integer.toString(n * 40)).toArray(String[]::new));
    }

    @ParameterizedTest
    @MethodSource(JDKS)
    void theEndOfTheStackIsForgotten(Jdk jdk) throws Exception {
        endOfStack(jdk, "selector");
    }

    @ParameterizedTest
    @MethodSource(JDKS)
    void theEndOfTheStackIsForgottenByPollers(Jdk jdk) throws Exception {
        endOfStack(jdk, "poller");
    }

    private static void fullHeap(Jdk jdk, String... kilobytesFree) throws Exception {
        vm(jdk).with("-Xmx14m").run(OpenInFullHeap.class, kilobytesFree).succeeds()
                .says("failed true", "later selected 0", "selected 1");
    }

    private static void endOfStack(Jdk jdk, String what) throws Exception {
        vm(jdk).run(OpenAtEndOfStack.class, what).succeeds()
                .says("overflowed true, then opened true", "selected 1");
    }

    private static Vm vm(Jdk jdk) {
        return Vm.on(jdk).classPath(PolluxJar.path(), PolluxJar.programs()).provider("EPollSelectorProvider");
    }
}
