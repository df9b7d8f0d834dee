// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.loop;

import static dev.pollux.internal.loop.WakeupModel.Wait.BLOCK;
import static dev.pollux.internal.loop.WakeupModel.Wait.BLOCK_TIMED;
import static dev.pollux.internal.loop.WakeupModel.Wait.PARK;
import static dev.pollux.internal.loop.WakeupModel.Wait.PARK_TIMED;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.internal.loop.WakeupModel.Fault;
import java.util.List;
import java.util.function.Function;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Every interleaving of wakeups with selections, interrupts, events, reopen and close; and the same with faults. */
class WakeupModelTest {
    /** What is gone through; small enough for seconds, and such that each fault breaks a rule in one of them. */
    static List<Function<Fault, WakeupModel>> situations() {
        return List.of(
                fault -> new WakeupModel(fault, 2, PARK, BLOCK, PARK),
                fault -> new WakeupModel(fault, 2, PARK_TIMED, BLOCK).breakingSelectionsOff(),
                fault -> new WakeupModel(fault, 2, BLOCK_TIMED, PARK_TIMED, BLOCK).reopening(),
                fault -> new WakeupModel(fault, 3, PARK_TIMED, BLOCK).reopening().closing(),
                fault -> new WakeupModel(fault, 3, BLOCK_TIMED, BLOCK),
                fault -> new WakeupModel(fault, 2, BLOCK_TIMED, BLOCK_TIMED, BLOCK).becomingReady(),
                fault -> new WakeupModel(fault, 2, PARK_TIMED, PARK).interrupting().becomingReady(),
                fault -> new WakeupModel(fault, 1, BLOCK_TIMED, BLOCK, PARK).interrupting(),
                fault -> new WakeupModel(fault, 2, BLOCK_TIMED, BLOCK).interrupting().reopening().closing(),
                fault -> new WakeupModel(fault, 3, PARK_TIMED, PARK));
    }

    @ParameterizedTest
    @MethodSource("situations")
    void keepsTheRulesInEveryOrderOfSteps(Function<Fault, WakeupModel> situation) {
        assertNull(situation.apply(Fault.NONE).explore());
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
    void findsWhatAnyFaultBreaks(Fault fault) {
        boolean found = situations().stream().anyMatch(each -> each.apply(fault).explore() != null);
        assertTrue(found, "no situation shows that it matters");
    }
}
