// SPDX-License-Identifier: Apache-2.0
package dev.pollux.loading;

import dev.pollux.loading.program.EndOfStack;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Calls that break off with a StackOverflowError, in whatever place, leave a selector and a Poller in working order.
 */
class EndOfStackIT {

    static Stream<Arguments> jdksAndProviders() {
        return Jdk.all().stream().flatMap(jdk -> Stream.of("EPoll", "Poll").map(name -> Arguments.of(jdk, name)));
    }

    @ParameterizedTest
    @MethodSource("jdksAndProviders")
    void aWakeupThatBreaksOffLeavesTheSelectorWakeable(Jdk jdk, String provider) throws Exception {
        run(jdk, provider, "selector");
    }

    @ParameterizedTest
    @MethodSource("jdksAndProviders")
    void aWakeupThatBreaksOffLeavesAVirtualSelectionWakeable(Jdk jdk, String provider) throws Exception {
        run(jdk.from(21), provider, "virtual");
    }

    @ParameterizedTest
    @MethodSource("jdksAndProviders")
    void anAwaitThatBreaksOffLeavesThePollerToTheOthers(Jdk jdk, String provider) throws Exception {
        run(jdk, provider, "poller");
    }

    @ParameterizedTest
    @MethodSource("jdksAndProviders")
    void anAwaitThatBreaksOffLeavesNoFollowerWaiting(Jdk jdk, String provider) throws Exception {
        run(jdk, provider, "followers");
    }

    private static void run(Jdk jdk, String provider, String program) throws Exception {
        // Frames of the first compiler have another length, so that calls break off elsewhere; and it is sooner done.
        int compilers = provider.equals("Poll") ? 1 : 4;
        Vm.on(jdk).classPath(PolluxJar.path(), PolluxJar.programs()).provider(provider + "SelectorProvider")
                .with("-XX:TieredStopAtLevel=" + compilers)
                .run(EndOfStack.class, List.of(program, provider.toLowerCase(Locale.ROOT)).toArray(new String[0]))
                .succeeds().says("ended true", "survived true");
    }
}
