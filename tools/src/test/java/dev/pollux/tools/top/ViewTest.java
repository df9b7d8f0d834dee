// SPDX-License-Identifier: Apache-2.0
package dev.pollux.tools.top;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What keys make of the loops. */
class ViewTest {
    private static final TerminalSize SMALL = new TerminalSize(10, 80);

    private final View view = new View(false, true);

    /** Two that wait, one at work, one stalled, one idle, one unused. */
    private final List<Interval> loops = loops(
            "loop=1\tthread=io-1\tkeys=1\tselections=9\tblockedNanos=9\twaiting=1\telapsedNanos=9",
            "loop=2\tthread=io-2\tkeys=7\tselections=3\tblockedNanos=9\twaiting=1\telapsedNanos=9",
            "loop=3\tthread=worker\tmechanism=poll\tkeys=2\tselections=5\tblockedNanos=3\tbusyNanos=4\telapsedNanos=9"
                    + "\tintervalLongestBusyNanos=5",
            "loop=4\tthread=Stuck\tkeys=3\tselections=1\tblockedNanos=1\tbusyNanos=8\telapsedNanos=9\tverdict=stalled"
                    + "\tverdictNanos=8\tevidence=not selected for 1.0 seconds",
            "loop=6\tthread=main",
            "loop=5\tthread=main\tselections=1\tblockedNanos=1\tbusyNanos=8\telapsedNanos=9");

    private static List<Interval> loops(String... samples) {
        List<Sample> now = Stream.of(samples).map(Sample::decode).toList();
        return Interval.between(now.subList(5, 6), now);
    }

    private String shown(String keys) {
        keys.chars().forEach(key -> view.press((char) key));
        return view.rows(loops, rows -> true).stream().map(loop -> "" + loop.number()).collect(Collectors.joining());
    }

    @Test
    void whatIsNotInUseIsFolded() {
        assertEquals("1234", shown(""));
        assertEquals(2, view.folded(loops));
        assertEquals("123456", shown("f"));
        assertEquals(0, view.folded(loops));
    }

    @Test
    void lettersAndArrowsSort() {
        assertEquals("2431", shown("K"));
        assertEquals("1342", shown("r"));
        assertEquals("1324", shown(">"));
        assertEquals("2431", shown("" + Keys.LEFT));
        assertEquals("1234", shown("<<<"));
        assertEquals("3124", shown("L"));
        assertEquals("4312", shown("U"));
    }

    @Test
    void theBusiestComeFirstWhereThereIsNoRoomUnlessTheUserHasSorted() {
        assertEquals(4, view.rows(loops, rows -> false).get(0).number());
        assertEquals(Order.UTILIZATION, view.order());
        view.press('N');
        assertEquals(1, view.rows(loops, rows -> false).get(0).number());
    }

    @Test
    void aFilterLooksAtThreadMechanismAndStateOfAll() {
        assertEquals("12", shown("/IO-\n"));
        assertEquals("2", shown("/2\n"));
        assertEquals("", shown("/q"));
        assertTrue(view.isTyping());
        assertEquals("2", shown("" + Keys.DELETE));
        assertEquals("1234", shown("" + Keys.ESCAPE));
        assertEquals("3", shown("/poll\n"));
        assertEquals("4", shown(Keys.ESCAPE + "/stalled\n"));
        assertEquals("5", shown(Keys.ESCAPE + "/idle\n"));
        assertFalse(view.hasQuit());
    }

    @Test
    void theStackIsThatOfTheChosenLoopOrOfTheBusiest() {
        assertEquals(Optional.empty(), view.stackOf(loops));
        shown("s");
        assertEquals(4, view.stackOf(loops).orElseThrow().number());
        shown("j" + Keys.DOWN);
        assertEquals(2, view.stackOf(loops).orElseThrow().number());
        shown("k" + Keys.UP + 'k');
        assertEquals(1, view.stackOf(loops).orElseThrow().number());
        assertEquals(4, view.stackOf(loops.subList(3, 6)).orElseThrow().number()); // 1 was closed
        shown("" + Keys.ESCAPE);
        assertEquals(4, view.stackOf(loops).orElseThrow().number());
        shown("" + Keys.ENTER);
        assertEquals(Optional.empty(), view.stackOf(loops));
    }

    @Test
    void upFromNoneChoosesTheLast() {
        shown("");
        view.press(Keys.UP);
        assertTrue(view.isChosen(loops.get(3)));
    }

    @Test
    void anyKeyLeavesTheHelpAndQQuits() {
        view.press('?');
        List<String> lines = Frame.of("first", view, loops, List.of(), SMALL).lines();
        assertEquals(View.HELP, lines.subList(1, lines.size()));
        assertTrue(View.HELP.stream().allMatch(line -> line.length() < 80));
        view.press('K');
        assertFalse(view.showsHelp());
        assertEquals(Order.NUMBER, view.order());
        view.press('q');
        assertTrue(view.hasQuit());
    }

    @Test
    void aFrameSaysWhatIsFolded() {
        Frame frame = Frame.of("first", view, loops, List.of(), SMALL);
        List<String> lines = frame.lines();
        assertEquals(List.of("and 2 idle or unused (f shows them)",
                "Loop 4, stalled 0.0 ms: not selected for 1.0 seconds"), lines.subList(lines.size() - 2, lines.size()));
        assertEquals(loops.get(3), frame.loop(5));
        shown("/nothing\n");
        assertEquals(3, Frame.of("first", view, loops, List.of(), SMALL).lines().size());
    }

    @Test
    void theChosenLoopIsInsideTheWindowWithItsStack() {
        List<Interval> many = Interval.between(List.of(), LongStream.rangeClosed(1, 50).mapToObj(number -> Sample
                .decode("loop=" + number + "\tkeys=1\tselections=1\tbusyNanos=1\telapsedNanos=1")).toList());
        List<String> stack = List.of("at a", "at b", "at c");
        view.press('N');
        Frame.of("first", view, many, List.of(), SMALL);
        IntStream.range(0, 30).forEach(i -> view.press('j'));
        view.press('s');
        Frame frame = Frame.of("first", view, many, stack, SMALL);
        assertTrue(frame.loops().contains(many.get(29)));
        assertTrue(frame.after().containsAll(List.of("and 48 more", "Loop 30:", "    at a")), frame::toString);
        assertTrue(SMALL.fit(frame.lines()).contains("Loop 30:"), frame::toString);
    }

    @Test
    void theStackOfAScreenHasDetailsAboveIt() {
        view.rows(loops, rows -> true);
        view.press('s');
        String later = "loop=3\tkeys=9\tselections=6\tbusyNanos=1\telapsedNanos=1000000009\tspins=1\tlock=It waits.";
        List<Interval> next = Interval.between(loops.stream().map(Interval::now).toList(),
                List.of(Sample.decode(later)));
        assertEquals(List.of("The busiest is loop 3:",
                "+7 keys, 0 wakeups/s (0 calls), longest 0.0 ms, spins 1, refused 0", "It waits.", "    at a"),
                Frame.of("first", view, next, List.of("at a"), SMALL).after().subList(1, 5));
    }

    @Test
    void linesHaveAllWithoutDetails() {
        View view = new View(true, false);
        Frame frame = Frame.of("first", view, loops, List.of(), TerminalSize.UNKNOWN);
        assertEquals(6, frame.loops().size());
        assertEquals(List.of("", "The busiest is loop 4; its thread has ended",
                "stalled 0.0 ms: not selected for 1.0 seconds"), frame.after());
    }

    @Test
    void eachLoopInTroubleIsShownWithWhatShowsItAndTheOneWithTheStackOnlyThere() {
        List<Interval> troubled = loops("loop=1\tkeys=1\tselections=9\tverdict=spins\tverdictNanos=2000000000"
                + "\tevidence=data has arrived that is not read: SocketChannel[local=1 remote=2]",
                "loop=2\tkeys=1\tselections=9\tverdict=wakeup storm\tverdictNanos=3000000000"
                + "\tevidence=woken 9000 times a second by thread \"w\" at a.B.c, in a.B.d"
                + "\tgate=woken: the next wait returns at once; woken last by thread \"w\"",
                "loop=3", "loop=4", "loop=5", "loop=6");
        String spins = "spins 2.0 s: data has arrived that is not read: SocketChannel[local=1 remote=2]";
        String storm = "wakeup storm 3.0 s: woken 9000 times a second by thread \"w\" at a.B.c, in a.B.d";
        TerminalSize wide = new TerminalSize(40, 200);
        assertEquals(List.of("and 4 idle or unused (f shows them)", "Loop 1, " + spins, "Loop 2, " + storm),
                Frame.of("first", view, troubled, List.of(), wide).after());
        "jjs".chars().forEach(key -> view.press((char) key));
        List<String> after = Frame.of("first", view, troubled, List.of("at d"), wide).after();
        assertEquals(List.of("Loop 1, " + spins, "", "Loop 2:"), after.subList(1, 4));
        assertEquals(List.of(storm, "gate: woken: the next wait returns at once; woken last by thread \"w\"",
                "    at d"), after.subList(5, 8));
    }

    @Test
    void whatIsWrongIsWrappedAndLeavesRoomForTheTable() {
        String[] troubled = LongStream.rangeClosed(1, 6).mapToObj(number -> "loop=" + number + "\tkeys=1\tselections=9"
                + "\tverdict=spins\tevidence=" + "a reason ".repeat(20)).toArray(String[]::new);
        Frame frame = Frame.of("first", view, loops(troubled), List.of(), SMALL);
        assertEquals(2, frame.loops().size(), frame::toString);
        List<String> shown = SMALL.fit(frame.lines());
        assertEquals("and 4 more", shown.get(4));
        assertTrue(shown.get(5).startsWith("Loop 1, spins 0.0 ms: a reason"), shown.get(5));
        assertTrue(shown.get(6).startsWith("Loop 2, spins 0.0 ms: a reason"), shown.get(6));
        assertTrue(shown.get(7).startsWith("(Enter shows"), shown.get(7));
        List<String> two = Frame.of("first", view, loops(troubled).subList(0, 1), List.of(), SMALL).after();
        assertEquals(3, two.size(), two::toString);
    }
}
