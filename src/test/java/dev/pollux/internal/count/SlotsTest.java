// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.count;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Which loops get a slot, and that slots are used again. The kind of these loops is of no others. */
class SlotsTest {
    private final List<Loop> opened = new ArrayList<>();

    private record Made(String kind, int size, LoopStatistics statistics) implements Loop {
        @Override
        public String mechanism() {
            return "none";
        }

        @Override
        public int refused() {
            return 0;
        }

        @Override
        public boolean isReadable() {
            return false;
        }

        @Override
        public boolean equals(Object other) {
            return this == other;
        }

        @Override
        public int hashCode() {
            return System.identityHashCode(this);
        }
    }

    private Loop open(String kind, int size, boolean isWaiting) {
        Loop loop = new Made(kind, size, new LoopStatistics(() -> isWaiting ? 1 : -2));
        Loops.add(loop);
        opened.add(loop);
        return loop;
    }

    private static List<Integer> slots(Loop... loops) {
        Map<Loop, Integer> all = Slots.all(0);
        return Stream.of(loops).map(loop -> all.getOrDefault(loop, Slots.NONE)).toList();
    }

    @AfterEach
    void close() {
        opened.forEach(Loops::remove);
    }

    @Test
    void eachKindHasItsOwn() {
        assertEquals(List.of(0, 0, 1, 1, 2), slots(open("a", 1, false), open("b", 1, false), open("a", 1, false),
                open("b", 1, true), open("b", 7, false)));
    }

    @Test
    void aLoopThatNoThreadUsesHasNone() {
        assertEquals(List.of(-1, 0, 1), slots(open("a", 0, false), open("a", 0, true), open("a", 1, false)));
    }

    @Test
    void aYoungOneHasNone() {
        Loop loop = open("a", 1, true);
        assertFalse(Slots.all().containsKey(loop));
        assertEquals(List.of(0), slots(loop));
        assertTrue(Slots.all().containsKey(loop), "it keeps the slot that it has");
    }

    @Test
    void theLowestThatIsFreeIsTaken() {
        Loop first = open("a", 1, false);
        Loop second = open("a", 1, false);
        Loop third = open("a", 1, false);
        assertEquals(List.of(0, 1, 2), slots(first, second, third));
        Loops.remove(second);
        Loop fourth = open("a", 1, false);
        assertEquals(List.of(0, 1, 2, 3), slots(first, fourth, third, open("a", 1, false)));
        for (int i = 0; i < 1000; i++) {
            Loop temporary = open("a", 1, true);
            assertEquals(List.of(4), slots(temporary));
            Loops.remove(temporary);
        }
    }
}
