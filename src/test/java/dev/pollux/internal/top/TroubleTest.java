// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.top;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TroubleTest {
    /** A second later, with what has grown since. Counters at the beginning: one of each fault. */
    @ParameterizedTest
    @CsvSource({
        "thread lost,       lostThread=1 stalled=1",
        "stalled 3.0 s,     stalled=1 busyNanos=3000000000",
        "blocked 3.0 s,     busyNanos=3000000000",
        "busy 1.0 s,        busyNanos=1000000000",
        "busy 3.0 s,        busyNanos=3000000000 selections=8",
        "spins 3.0 s,       busyNanos=3000000000 selections=2000",
        "busy 3.0 s,        busyNanos=3000000000 selections=2000 blockedWaits=1900",
        "spins 0.0 ms,      spins=2 waiting=1",
        "wakeup storm,      wakeups=5000 blockedWaits=5000 selections=5000 waiting=1 blockedNanos=990000000",
        "woken 5000/s,      wakeups=5000 blockedNanos=990000000 waiting=1 wakeupStorms=0",
        "waiting 0.0 ms,    wakeups=5000 blockedWaits=5000 selections=5000 waiting=1 ready=1000 blockedNanos=990000000",
        "waiting 0.0 ms,    wakeups=5000 blockedWaits=5000 selections=5000 waiting=1 blockedNanos=900000000",
        "refuses,           refusals=2 waiting=1",
        "waiting 0.0 ms,    waiting=1"})
    void stateSaysWhatIsWrongAsLongAsItLasts(String state, String later) {
        String first = "loop=1\tkeys=1\tselections=1\tblockages=1\tspins=1\twakeupStorms=1\trefusals=1";
        String now = first + "\telapsedNanos=1000000000\t" + later.strip().replace(' ', '\t');
        Interval loop = Interval.between(List.of(Sample.decode(first)), List.of(Sample.decode(now))).get(0);
        assertEquals(state, Table.state(loop));
    }
}
