// SPDX-License-Identifier: Apache-2.0
package dev.pollux.server;

import static java.util.Map.entry;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.server.ConnectionState.Output;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * Goes through every order of events, as far as it leads to something new, and compares each answer of the state with
 * what follows from the events alone.
 */
class ConnectionStateTest {
    private enum Event { PAUSE, RESUME, LOOK, END_INPUT, SHUT_DOWN, SHUT, CLOSE, DROP, ABORT, CUT, END }

    /** What has happened, without a machine: which of the events, and what they meant when they came. */
    private static final class Facts {
        private final Set<Event> happened = EnumSet.noneOf(Event.class);
        private boolean wantsPause;
        private boolean wasPaused;
        private boolean isShut;
        private boolean isFinished;

        Facts() {
        }

        private Facts(Facts before) {
            happened.addAll(before.happened);
            wantsPause = before.wantsPause;
            wasPaused = before.wasPaused;
            isShut = before.isShut;
            isFinished = before.isFinished;
        }

        private boolean hasAny(Event... events) {
            return List.of(events).stream().anyMatch(happened::contains);
        }

        private boolean isToClose() {
            return isFinished || hasAny(Event.CLOSE, Event.DROP, Event.ABORT, Event.CUT, Event.END);
        }

        Facts after(Event event) {
            Facts next = new Facts(this);
            switch (event) {
                case PAUSE -> {
                    next.wantsPause = true;
                    next.wasPaused = true;
                }
                case RESUME -> next.wantsPause = false;
                case LOOK -> next.wasPaused = wantsPause;
                case SHUT -> {
                    boolean isDue = happened.contains(Event.SHUT_DOWN) && !isShut && !isToClose();
                    next.isShut |= isDue;
                    next.isFinished |= isDue && happened.contains(Event.END_INPUT);
                }
                default -> next.happened.add(event);
            }
            return next;
        }

        /** The questions that the loop and the holder ask, and their answers. */
        Map<String, Boolean> answers() {
            boolean hasEnded = hasAny(Event.END);
            boolean isCut = hasAny(Event.CUT) && !hasEnded;
            boolean isAborted = (isCut || hasAny(Event.ABORT)) && !hasEnded;
            return Map.ofEntries(
                    entry("accepting", !isToClose() && !hasAny(Event.SHUT_DOWN)),
                    entry("shutting down", hasAny(Event.SHUT_DOWN) && !isShut && !isToClose()),
                    entry("open", !isToClose()),
                    entry("finished", isFinished
                            && !hasAny(Event.CLOSE, Event.DROP, Event.ABORT, Event.CUT, Event.END)),
                    entry("dropped", hasAny(Event.DROP) && !isAborted && !hasEnded),
                    entry("aborted", isAborted),
                    entry("cut", isCut),
                    entry("ended", hasEnded),
                    entry("paused", wantsPause && !hasAny(Event.END_INPUT)),
                    entry("resumed", wasPaused && !wantsPause && !hasAny(Event.END_INPUT)),
                    entry("at its end", hasAny(Event.END_INPUT)));
        }
    }

    private static Map<String, Boolean> answers(ConnectionState state) {
        return Map.ofEntries(entry("accepting", state.isAccepting()), entry("shutting down", state.isShuttingDown()),
                entry("open", state.isOpen()), entry("finished", state.isFinished()),
                entry("dropped", state.isDropped()), entry("aborted", state.isAborted()),
                entry("cut", state.isCut()), entry("ended", state.hasEnded()), entry("paused", state.isPaused()),
                entry("resumed", state.isResumed()), entry("at its end", state.isAtEnd()));
    }

    private static void tell(ConnectionState state, Event event) {
        switch (event) {
            case PAUSE -> state.pause();
            case RESUME -> state.resume();
            case LOOK -> state.onLook();
            case END_INPUT -> state.endInput();
            case SHUT_DOWN -> state.advance(Output.SHUTTING);
            case SHUT -> state.onShut();
            case CLOSE -> state.advance(Output.CLOSING);
            case DROP -> state.advance(Output.DROPPED);
            case ABORT -> state.advance(Output.ABORTED);
            case CUT -> state.advance(Output.CUT);
            case END -> state.advance(Output.ENDED);
            default -> throw new AssertionError(event);
        }
    }

    private static ConnectionState after(List<Event> events) {
        ConnectionState state = new ConnectionState();
        events.forEach(event -> tell(state, event));
        return state;
    }

    private static Facts factsOf(List<Event> events) {
        Facts facts = new Facts();
        for (Event each : events) {
            facts = facts.after(each);
        }
        return facts;
    }

    /** The shortest order of events to each situation: a state, and what has happened before. */
    private static Map<String, List<Event>> situations() {
        Map<String, List<Event>> found = new HashMap<>();
        ArrayDeque<List<Event>> next = new ArrayDeque<>(List.of(List.of()));
        while (!next.isEmpty()) {
            List<Event> events = next.poll();
            Facts facts = factsOf(events);
            String situation = after(events) + " " + facts.happened + facts.wantsPause + facts.wasPaused + facts.isShut;
            if (found.putIfAbsent(situation, events) == null) {
                for (Event each : Event.values()) {
                    List<Event> longer = new ArrayList<>(events);
                    longer.add(each);
                    next.add(longer);
                }
            }
        }
        return found;
    }

    @Test
    void inEachOrderOfEventsTheStateAnswersWhatFollowsFromThem() {
        Map<String, List<Event>> all = situations();
        all.values().forEach(events -> assertEquals(factsOf(events).answers(), answers(after(events)),
                () -> "after " + events));
        assertTrue(all.size() > 300, "situations: " + all.size());
    }

    @Test
    void eachStateIsReached() {
        Set<String> states = new HashSet<>();
        situations().values().forEach(events -> states.add(after(events).toString()));
        assertEquals(4 * 9 - 3, states.size(), "FINISHED needs an input that has ended");
    }

    @Test
    void theEndOfBothWaysIsNoticedWhicheverComesFirst() {
        ConnectionState state = new ConnectionState();
        state.advance(Output.SHUTTING);
        assertTrue(state.endInput());
        ConnectionState other = new ConnectionState();
        assertEquals(false, other.endInput());
        other.advance(Output.SHUTTING);
        other.onShut();
        assertTrue(other.isFinished());
    }
}
