// SPDX-License-Identifier: Apache-2.0
package dev.pollux.loading;

import dev.pollux.loading.program.RecordLater;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** A recording has all events of loops, whether it began before or after they were opened. */
class RecordingIT {

    static Stream<Arguments> jdksAndWays() {
        return Jdk.all().stream().flatMap(jdk -> Stream.of("api", "command").map(way -> Arguments.of(jdk, way)));
    }

    @ParameterizedTest
    @MethodSource("jdksAndWays")
    void aRecordingThatBeginsLaterHasAllEvents(Jdk jdk, String way) throws Exception {
        vm(jdk).run(RecordLater.class, way).succeeds().says("recorder before false",
                "SelectorStatistics of loop 1", "Busy of loop 1", "Spin of loop 1: 1", "SelectorClosed of loop 1: 1",
                "SelectorOpened of loop 2: 1", "SelectorClosed of loop 2: 1");
    }

    @ParameterizedTest
    @MethodSource("dev.pollux.loading.Jdk#all")
    void aRecordingThatBeginsWithTheVmHasAllEvents(Jdk jdk) throws Exception {
        vm(jdk).with("-XX:StartFlightRecording:dumponexit=false").run(RecordLater.class, "options").succeeds()
                .says("recorder before true", "SelectorOpened of loop 1: 1", "SelectorStatistics of loop 1",
                        "Busy of loop 1", "Spin of loop 1: 1", "SelectorClosed of loop 1: 1");
    }

    /** The classes of events are initialised where the loop is. A class whose initialiser breaks off is lost. */
    @ParameterizedTest
    @MethodSource("dev.pollux.loading.Jdk#all")
    void aRecordingThatIsNoticedWhereTheStackEndsHasAllEvents(Jdk jdk) throws Exception {
        vm(jdk).run(RecordLater.class, "stack").succeeds().says("overflowed true", "SelectorStatistics of loop 1",
                "Busy of loop 1", "Spin of loop 1: 1", "SelectorClosed of loop 1: 1", "SelectorOpened of loop 2: 1");
    }

    private static Vm vm(Jdk jdk) {
        return Vm.on(jdk).classPath(PolluxJar.path(), PolluxJar.programs()).provider("EPollSelectorProvider");
    }
}
