// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.top;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.internal.command.JsonText;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What {@code top} makes of two samples. */
class ShownTest {
    private static final String BEFORE =
            "loop=3\tthread=io\telapsedNanos=5000000000\tblockedNanos=4000000000\tselections=100";
    private static final String NOW =
            "loop=3\tthread=io\telapsedNanos=7000000000\tblockedNanos=4500000000\tselections=130";

    private static final Sample IDLE = Sample.decode("loop=1\telapsedNanos=9\tblockedNanos=8");
    private static final Sample BUSY = Sample.decode("loop=2\telapsedNanos=9\tblockedNanos=1");

    @Test
    void ratesAreThoseOfTheTimeBetween() {
        Interval loop = between(BEFORE, NOW);
        assertEquals(15, loop.perSecond(Sample.SELECTIONS));
        assertEquals(0.75, loop.utilization());
    }

    @Test
    void aLoopThatIsNewIsShownSinceItWasOpened() {
        Interval loop = Interval.between(List.of(), List.of(Sample.decode(BEFORE))).get(0);
        assertEquals(20, loop.perSecond(Sample.SELECTIONS));
        assertEquals(0.2, loop.utilization(), 1e-9);
    }

    @Test
    void aLoopThatWasClosedIsNotShown() {
        assertEquals(List.of(), Interval.between(List.of(Sample.decode(BEFORE)), List.of()));
        assertTrue(Table.of(List.of()).get(1).startsWith("no selector"));
    }

    @Test
    void whatAnotherVersionDoesNotTellIsZero() {
        Interval loop = between(BEFORE, NOW + "\tnew=unknown");
        assertEquals(0, loop.perSecond(Sample.WAKEUPS));
        assertEquals("", loop.now().text(Sample.MECHANISM));
    }

    @Test
    void theBusiestIsTheOneThatWaitedLeast() {
        List<Sample> now = List.of(IDLE, BUSY, Sample.decode("loop=3\telapsedNanos=9\tblockedNanos=5"));
        assertEquals(2, Interval.busiest(Interval.between(List.of(), now)).orElseThrow().now().value(Sample.LOOP));
    }

    @Test
    void whatATerminalHasNoRoomForIsCutAndTheBusiestComeFirst() {
        TerminalSize size = TerminalSize.of("5 10");
        assertEquals(List.of("123456789", "2", "3", "... and 3"),
                size.fitting(List.of("1234567890", "2", "3", "4", "5", "6")));
        assertEquals(List.of("1", "2", "3"), size.fitting(List.of("1", "2", "3")));
        assertTrue(size.hasRoomFor(1));
        assertFalse(size.hasRoomFor(2));

        List<Interval> all = Interval.between(List.of(), List.of(IDLE, BUSY));
        assertEquals(2, Interval.busiestFirst(all).get(0).now().value(Sample.LOOP));
    }

    @Test
    void aTerminalThatDoesNotTellItsSizeHasRoomForAll() {
        for (String printed : List.of("0 0", "null", "", "stty: not a tty", "5")) {
            assertEquals(TerminalSize.UNKNOWN, TerminalSize.of(printed), printed);
        }
        assertTrue(TerminalSize.UNKNOWN.hasRoomFor(1000));
        assertEquals(1000, TerminalSize.UNKNOWN.fitting(Collections.nCopies(1000, "line")).size());
    }

    @Test
    void aLoopThatNobodyHasUsedIsNotBusy() {
        Interval loop = Interval.between(List.of(), List.of(Sample.decode("loop=1\telapsedNanos=9"))).get(0);
        assertEquals(0, loop.utilization());
        String row = Table.of(List.of(loop)).get(1);
        assertTrue(row.contains("[........]   0%"), row);
        assertTrue(row.endsWith(" unused"), row);
    }

    /** Its first selection has not returned: the handler runs. */
    @Test
    void aLoopInItsFirstSelectionIsBusy() {
        Sample first = Sample.decode("loop=1\telapsedNanos=9000000000\tbusyNanos=2000000000");
        Interval loop = Interval.between(List.of(), List.of(first)).get(0);
        assertEquals(1, loop.utilization());
        assertTrue(Table.of(List.of(loop)).get(1).endsWith("busy 2.0 s"));
    }

    @Test
    void aLoopWithoutAStackSaysWhy() {
        assertEquals("The busiest is loop 1; no thread has used it yet", last(Sample.decode("loop=1")));
        assertEquals("The busiest is loop 3; its thread has ended", last(Sample.decode(NOW)));
    }

    private static String last(Sample sample) {
        ByteArrayOutputStream shown = new ByteArrayOutputStream();
        Screen screen = new Screen(new PrintStream(shown), new TopOptions(5, true, false, true, false));
        screen.show(Interval.between(List.of(), List.of(sample)), sample.value(Sample.LOOP), List.of());
        return shown.toString().strip().lines().reduce((one, next) -> next).orElseThrow();
    }

    @Test
    void aRowHasBarTimesAndState() {
        String busy = NOW + "\tlongestBusyNanos=300000000\tbusyNanos=1500000000";
        String row = Table.of(List.of(between(BEFORE, busy))).get(1);
        assertTrue(row.contains("[######..]  75%"), row);
        assertTrue(row.contains("300 ms"), row);
        assertTrue(row.endsWith("busy 1.5 s"), row);
    }

    @Test
    void stateTellsWhatIsWrongFirst() {
        assertTrue(Table.of(List.of(between(BEFORE, NOW + "\tstalled=1"))).get(1).endsWith("stalled 0.0 ms"));
        assertTrue(Table.of(List.of(between(BEFORE, NOW + "\tlostThread=1\twaiting=1"))).get(1)
                .endsWith("thread lost"));
    }

    @Test
    void aLongThreadNameKeepsItsEnd() {
        Interval loop = between(BEFORE, NOW.replace("io", "a-pool-with-a-very-long-name-thread-17"));
        assertTrue(Table.of(List.of(loop)).get(1).contains(" a-pool-w..hread-17 "));
    }

    @Test
    void jsonIsEscaped() {
        assertEquals("\"a\\\"b\\\\c\\u000a\\u00e9\"", JsonText.quoted("a\"b\\c\n\u00e9"));
        assertEquals("{\"pid\":5,\"loops\":[]}", Json.of(5, List.of(), 0, List.of()));
    }

    private static Interval between(String before, String now) {
        return Interval.between(List.of(Sample.decode(before)), List.of(Sample.decode(now))).get(0);
    }
}
