// SPDX-License-Identifier: Apache-2.0
package dev.pollux.tools.top;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.tools.top.Terminal.Size;
import java.util.List;
import java.util.Optional;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What stands on a page, and what has no room there. */
class PageTest {
    private static final Size SMALL = new Size(10, 80);
    private static final Size WIDE = new Size(40, 200);
    private static final String SPINS =
            "spins 2.0 s: data has arrived that is not read: SocketChannel[local=1 remote=2]";
    private static final String STORM =
            "wakeup storm 3.0 s: woken 9000 times a second by thread \"w\" at a.B.c, in a.B.d";

    /** One that waits, two at work, one that spins, one that was never used, one in a wakeup storm. */
    private final List<Interval> loops = loops(
            "loop=1\tthread=io-1\tkeys=1\tselections=9\tblockedNanos=9\twaiting=1\telapsedNanos=9",
            "loop=2\tthread=io-2\tkeys=2\tselections=5\tblockedNanos=3\tbusyNanos=4\telapsedNanos=9",
            "loop=3\tthread=io-3\tkeys=2\tselections=5\tblockedNanos=1\tbusyNanos=4\telapsedNanos=9\tlock=It waits."
                    + "\tgate=woken: the next wait returns at once; woken last by thread \"w\"\tspins=1"
                    + "\tlastSpin=data has arrived",
            "loop=4\tkeys=1\tselections=9\tblockedNanos=5\telapsedNanos=9\tverdict=spins\tverdictNanos=2000000000"
                    + "\tevidence=data has arrived that is not read: SocketChannel[local=1 remote=2]",
            "loop=5\tthread=main",
            "loop=6\tkeys=1\tselections=9\tblockedNanos=2\telapsedNanos=9\tverdict=wakeup storm"
                    + "\tverdictNanos=3000000000\tevidence=woken 9000 times a second by thread \"w\" at a.B.c, in"
                    + " a.B.d");

    private static List<Interval> loops(String... samples) {
        return Interval.between(List.of(), Stream.of(samples).map(Sample::decode).toList());
    }

    private Page page(Size size) {
        return Page.of("first", loops, Optional.empty(), List.of(), size);
    }

    @Test
    void thoseInTroubleComeFirstThenTheBusiest() {
        Page page = page(WIDE);
        assertEquals("first   6 loops, 2 in trouble", page.lines().get(0));
        assertEquals(List.of("6", "4", "3", "2", "1", "5"),
                page.lines().subList(2, 8).stream().map(row -> row.strip().split(" ")[0]).toList());
        assertFalse(page.isTrouble(1));
        assertTrue(page.isTrouble(2) && page.isTrouble(3));
        assertFalse(page.isTrouble(4));
    }

    @Test
    void eachLoopInTroubleIsShownWithWhatShowsItAndTheOneWithTheStackOnlyThere() {
        List<String> lines = page(WIDE).lines();
        assertEquals(List.of("Loop 6, " + STORM, "Loop 4, " + SPINS), lines.subList(8, lines.size()));
        lines = Page.of("first", loops, Optional.of(loops.get(3)), List.of("at d"), WIDE).lines();
        assertEquals(List.of("Loop 6, " + STORM, "", "Loop 4:",
                "0 wakeups/s (0 calls), longest 0.0 ms, spins 0, refused 0", SPINS, "    at d"),
                lines.subList(8, lines.size()));
    }

    @Test
    void theStackHasAllThatIsKnownOfItsLoopAboveIt() {
        List<String> lines = Page.of("first", loops, Interval.busiest(loops), List.of("at a", "at b"), WIDE).lines();
        assertEquals(List.of("The busiest is loop 3:", "0 wakeups/s (0 calls), longest 0.0 ms, spins 1, refused 0",
                "made to spin last by: data has arrived", "It waits.",
                "gate: woken: the next wait returns at once; woken last by thread \"w\"", "    at a", "    at b"),
                lines.subList(11, lines.size()));
    }

    @Test
    void aLoopWithoutAThreadHasNoStack() {
        assertTrue(Page.of("first", loops, Optional.of(loops.get(4)), List.of(), WIDE).lines()
                .contains("Loop 5; no thread has used it"));
        assertTrue(Page.of("first", loops, Optional.of(loops.get(0)), List.of(), WIDE).lines()
                .contains("Loop 1; its thread has ended"));
    }

    @Test
    void theTableHasHalfOfALowTerminalAndTheRestIsCut() {
        List<Interval> many = loops(LongStream.rangeClosed(1, 50).mapToObj(number -> "loop=" + number
                + "\tkeys=1\tselections=1\tbusyNanos=1\telapsedNanos=1").toArray(String[]::new));
        List<String> lines = Page.of("first", many, Optional.empty(), List.of(), SMALL).lines();
        assertEquals(9, lines.size());
        assertEquals("and 44 more", lines.get(8));
        lines = Page.of("first", many, Optional.of(many.get(0)), List.of("at a", "at b", "at c"), SMALL).lines();
        assertEquals(9, lines.size());
        assertEquals(List.of("and 47 more", "", "The busiest is loop 1:"), lines.subList(5, 8));
        assertEquals("... and 4 more lines; --once shows all", lines.get(8));
        assertEquals(57, Page.of("first", many, Optional.of(many.get(0)), List.of("at a", "at b"),
                Size.UNLIMITED).lines().size());
    }

    @Test
    void whatIsWrongIsWrappedWhereATerminalIsNarrow() {
        List<String> lines = page(new Size(40, 60)).lines();
        assertTrue(lines.stream().allMatch(line -> line.length() < 60), lines::toString);
        assertTrue(String.join(" ", lines).contains("Loop 4, " + SPINS), lines::toString);
    }

    @Test
    void aSentenceIsWrappedAtSpaces() {
        assertEquals(List.of("It waits", "for", "123456789", "0123"), Page.wrap("It waits for 1234567890123", 9));
        assertEquals(List.of("123456789"), Page.wrap("123456789", 9));
        assertEquals(List.of("12345678", "9 1"), Page.wrap("12345678 9 1", 9));
        assertEquals(List.of(), Page.wrap("", 9));
        assertEquals(List.of("1", "2"), Page.wrap("12", 1));
    }
}
