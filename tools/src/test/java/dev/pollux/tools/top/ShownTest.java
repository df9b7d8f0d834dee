// SPDX-License-Identifier: Apache-2.0
package dev.pollux.tools.top;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.grack.nanojson.JsonObject;
import dev.pollux.PolluxSelectorProvider;
import dev.pollux.internal.count.Counter;
import dev.pollux.internal.tell.LoopLine;
import dev.pollux.internal.verdict.LoopSnapshot;
import dev.pollux.tools.common.Json;
import dev.pollux.tools.top.Terminal.Size;
import java.nio.channels.Selector;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What {@code top} makes of two samples. */
class ShownTest {
    /** A terminal with room for all columns. */
    private static final int WIDE = 200;

    private static final String BEFORE =
            "loop=3\tthread=io\telapsedNanos=5000000000\tblockedNanos=4000000000\tselections=100";
    private static final String NOW =
            "loop=3\tthread=io\telapsedNanos=7000000000\tblockedNanos=4500000000\tselections=130";

    @Test
    void ratesAreThoseOfTheTimeBetween() {
        Interval loop = between(BEFORE, NOW);
        assertEquals(15, loop.perSecond(Counter.SELECTIONS));
        assertEquals(0.75, loop.utilization());
    }

    @Test
    void aLoopThatIsNewIsShownSinceItWasOpened() {
        Interval loop = Interval.between(List.of(), List.of(Sample.decode(BEFORE))).get(0);
        assertEquals(20, loop.perSecond(Counter.SELECTIONS));
        assertEquals(0.2, loop.utilization(), 1e-9);
    }

    @Test
    void aLoopThatWasClosedIsNotShown() {
        assertEquals(List.of(), Interval.between(List.of(Sample.decode(BEFORE)), List.of()));
        assertTrue(Table.of(List.of(), WIDE).get(1).startsWith("no selector"));
    }

    @Test
    void whatAnotherVersionDoesNotTellIsZero() {
        Interval loop = between(BEFORE, NOW + "\tnew=unknown");
        assertEquals(0, loop.perSecond(Counter.WAKEUPS));
        assertEquals("", loop.now().text(LoopLine.MECHANISM));
    }

    @Test
    void theBusiestIsTheOneThatWaitedLeast() {
        List<Sample> now = List.of(waited(1, 8), waited(2, 1), waited(3, 5));
        assertEquals(2, Interval.busiest(Interval.between(List.of(), now)).orElseThrow().now().value(LoopLine.LOOP));
    }

    @Test
    void aTerminalThatDoesNotTellItsSizeHasRoomForAll() {
        for (String printed : List.of("0 0", "null", "", "stty: not a tty", "5")) {
            assertEquals(Size.UNLIMITED, Size.of(printed), printed);
        }
        assertEquals(new Size(24, 80), Size.of("24 80"));
    }

    @Test
    void aLoopThatNoThreadHasUsedIsNotBusy() {
        Interval loop = Interval.between(List.of(), List.of(Sample.decode("loop=1\telapsedNanos=9"))).get(0);
        assertEquals(0, loop.utilization());
        String row = Table.of(List.of(loop), WIDE).get(1);
        assertTrue(row.contains("[........]   0%"), row);
        assertTrue(row.endsWith(" unused"), row);
    }

    /** Its first selection has not returned: the handler runs. */
    @Test
    void aLoopInItsFirstSelectionIsBusy() {
        Sample first = Sample.decode("loop=1\tkeys=1\telapsedNanos=9000000000\tbusyNanos=2000000000");
        Interval loop = Interval.between(List.of(), List.of(first)).get(0);
        assertEquals(1, loop.utilization());
        assertTrue(Table.of(List.of(loop), WIDE).get(1).endsWith("busy 2.0 s"));
    }

    @Test
    void batchesAreShownWhereThereAreAny() {
        String batches = "\tdeferredWrites=150\tbatches=20";
        List<String> lines = Table.of(List.of(between(BEFORE, NOW + batches), between(BEFORE, NOW)), WIDE);
        assertTrue(lines.get(0).contains(" BATCH "), lines.get(0));
        assertTrue(lines.get(1).contains("   7.5 ["), lines.get(1));
        assertTrue(lines.get(2).contains("     - ["), lines.get(2));
        assertFalse(Table.of(List.of(between(BEFORE, NOW)), WIDE).get(0).contains("BATCH"));
    }

    @Test
    void aRowHasBarTimesAndState() {
        String busy = NOW + "\tintervalLongestBusyNanos=300000000\tbusyNanos=1500000000";
        String row = Table.of(List.of(between(BEFORE, busy)), WIDE).get(1);
        assertTrue(row.contains("[######..]  75%"), row);
        assertTrue(row.contains("300 ms"), row);
        assertTrue(row.endsWith("busy 1.5 s"), row);
    }

    @Test
    void stateTellsWhatIsWrongFirst() {
        String stalled = "\tverdict=stalled\tverdictNanos=300000000\twaiting=1\twaitingNanos=9";
        assertTrue(Table.of(List.of(between(BEFORE, NOW + stalled)), WIDE).get(1).endsWith(" stalled 300 ms"));
        String lost = "\tverdict=thread lost\tverdictNanos=12000000000\tlostThread=1\twaiting=1";
        assertTrue(Table.of(List.of(between(BEFORE, NOW + lost)), WIDE).get(1).endsWith(" thread lost"));
    }

    @Test
    void aLongThreadNameKeepsItsEnd() {
        Interval loop = between(BEFORE, NOW.replace("io", "a-pool-with-a-very-long-name-thread-17"));
        assertTrue(Table.of(List.of(loop), WIDE).get(1).contains(" a-pool-w..hread-17 "));
    }

    @Test
    void aThreadsNameCommandsNoTerminal() throws Exception {
        Thread thread = Thread.currentThread();
        String name = thread.getName();
        try (Selector selector = new PolluxSelectorProvider().openSelector()) {
            thread.setName("x\t\n\u001b[2J\u009b2J\u202e");
            selector.selectNow();
            String encoded = LoopSnapshot.all().stream().filter(loop -> loop.thread() == thread)
                    .map(loop -> LoopLine.of(loop, 0)).findFirst().orElseThrow();
            Sample sample = Sample.decode(encoded);
            assertEquals("x\\u0009\\u000a\\u001b[2J\\u009b2J\\u202e", sample.text(LoopLine.THREAD));
        } finally {
            thread.setName(name);
        }
        Sample ofAnotherVersion = Sample.decode(NOW.replace("io", "x\u001b[2J\u009b"));
        Interval loop = Interval.between(List.of(), List.of(ofAnotherVersion)).get(0);
        String row = Table.of(List.of(loop), WIDE).get(1);
        assertTrue(row.contains("x\\u001b[2J\\u009b"), row);
    }

    @Test
    void jsonIsOneLineOfAsciiInTheOrderOfItsMembers() {
        assertEquals("{\"z\":\"a\\\"b\\\\c\\n\\u00e9\",\"a\":null}", Json.line(JsonObject.builder()
                .value("z", "a\"b\\c\n\u00e9").value("a", (String) null).done()));
        assertEquals("{\"time\":\"2026-01-02T03:04:05.006Z\",\"pid\":5,\"loops\":[]}",
                Json.line(Top.json(Instant.parse("2026-01-02T03:04:05.006789Z"), 5, List.of(), 0, List.of())));
    }

    @Test
    void aSelectorWithoutKeysThatNoThreadSelectsIsIdleAndNotTheBusiest() {
        String idle = "loop=9\tkeys=0\tselections=2\tblockedNanos=1000\telapsedNanos=9000000000\tbusyNanos=8000000000";
        Interval loop = between(idle, idle.replace("elapsedNanos=9", "elapsedNanos=10"));
        assertEquals(0, loop.utilization());
        String row = Table.of(List.of(loop), WIDE).get(1);
        assertTrue(row.endsWith(" idle 8.0 s"), row);
        Interval other = between(BEFORE, NOW);
        assertEquals(other, Interval.busiest(List.of(other, loop)).orElseThrow());
        assertTrue(Interval.WORST_FIRST.compare(loop, other) > 0);
    }

    @ParameterizedTest
    @ValueSource(strings = {"waiting=1", "selections=3", "keys=1", "stalled=1\tkeys=1"})
    void aLoopThatWaitsOrSelectsOrHasKeysIsNotIdle(String rest) {
        assertFalse(between("keys=0\tselections=2", "keys=0\tselections=2\t" + rest).isIdle());
    }

    @Test
    void whereNoLoopIsInUseNoneIsTheBusiest() {
        Interval lost = between(BEFORE, NOW + "\tlostThread=1");
        Interval unused = between("loop=1\telapsedNanos=9", "loop=1\telapsedNanos=10");
        assertEquals(Optional.empty(), Interval.busiest(List.of(lost, unused)));
    }

    @ParameterizedTest
    @ValueSource(ints = {128, 120, 100, 80, 60})
    void aNarrowTerminalGetsFewerColumnsAndTheState(int columns) {
        String busy = "\tselections=1999999\twakeups=1999999\tverdict=stalled\tverdictNanos=99900000"
                + "\tthread=a-thread-with-a-name";
        List<String> lines = Table.of(List.of(between(BEFORE, NOW + busy)), columns - 1);
        assertTrue(lines.get(0).endsWith(" STATE"), lines::toString);
        assertTrue(lines.get(1).endsWith(" stalled 99.9 ms"), lines::toString);
        assertTrue(lines.stream().allMatch(line -> line.length() < columns), lines::toString);
        assertEquals(columns >= 80, lines.get(0).contains(" READY/S ") && lines.get(0).contains(" LONGEST "),
                lines::toString);
        assertEquals(columns >= 100, lines.get(0).contains(" REFUSE "), lines::toString);
        assertEquals(columns > 121, lines.get(0).contains(" UTILIZATION "), lines::toString);
    }

    @Test
    void aTerminalOfUnknownTypeGetsNoEscapes() {
        assertTrue(Terminal.knowsEscapes("xterm-256color"));
        for (String type : new String[] {"dumb", "", null}) {
            assertFalse(Terminal.knowsEscapes(type), type);
        }
    }

    /** Of 9 nanoseconds. */
    private static Sample waited(long number, long nanos) {
        return Sample.decode("loop=" + number + "\tkeys=1\telapsedNanos=9\tblockedNanos=" + nanos);
    }

    private static Interval between(String before, String now) {
        return Interval.between(List.of(Sample.decode(before)), List.of(Sample.decode(now))).get(0);
    }
}
