// SPDX-License-Identifier: Apache-2.0
package dev.pollux.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayDeque;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** A wheel beside a plain set of the same tasks, at times that the test makes up. */
class TaskWheelTest {
    private static final long MILLI = 1_000_000;
    private static final long[] SPANS = {2, 64 * MILLI, 5000 * MILLI, 3_600_000 * MILLI, 40_000_000_000L * MILLI};

    private final long start = System.nanoTime();
    private final TaskWheel wheel = new TaskWheel(start);
    private final Set<LoopTask> expected = Collections.newSetFromMap(new IdentityHashMap<>());
    private final ArrayDeque<LoopTask> due = new ArrayDeque<>();
    private long now = start;

    private void add(long time) {
        add(new LoopTask(null, time, () -> { }, gone -> { }));
    }

    private void add(LoopTask task) {
        wheel.add(task, () -> now);
        expected.add(task);
    }

    /** Takes what is due: no task before its time, and none more than a millisecond behind it. */
    private void pass(long time) {
        now = time;
        wheel.takeDue(now, due);
        for (LoopTask task = due.poll(); task != null; task = due.poll()) {
            assertTrue(task.time - now <= 0, "before its time");
            assertTrue(expected.remove(task), "not twice");
        }
        expected.forEach(task -> assertTrue(now - task.time <= MILLI, "late by " + (now - task.time)));
        assertEquals(expected.isEmpty(), wheel.isEmpty());
    }

    @Test
    void eachTaskIsDueInTheMillisecondBehindItsTimeWhateverTheSpan() {
        Random random = new Random(1);
        for (int i = 0; i < 20_000; i++) {
            long span = SPANS[random.nextInt(SPANS.length)];
            switch (random.nextInt(4)) {
                case 0, 1 -> add(now + (long) (random.nextDouble() * span));
                case 2 -> {
                    int at = random.nextInt(200) == 0 ? 3 : random.nextInt(3); // seldom a long one
                    pass(now + (long) (random.nextDouble() * SPANS[at]));
                }
                default -> {
                    if (!expected.isEmpty()) {
                        LoopTask gone = expected.iterator().next();
                        expected.remove(gone);
                        wheel.remove(gone);
                        wheel.remove(gone); // once more has no effect
                    }
                }
            }
        }
    }

    /** Who waits as long as it says each time misses nothing, and is not woken for more than a few slots. */
    @Test
    void itSaysHowLongThereIsNothingToDo() {
        Random random = new Random(2);
        for (int i = 0; i < 2000; i++) {
            add(now + (long) (random.nextDouble() * SPANS[random.nextInt(SPANS.length)]));
        }
        int waits = 0;
        while (!wheel.isEmpty()) {
            long wait = wheel.nanosToWait(now);
            assertTrue(expected.stream().allMatch(task -> task.time - now + MILLI >= wait), "it would be late");
            pass(now + wait);
            waits++;
        }
        assertTrue(waits < 2000 * 9, () -> "waits for each task");
    }

    @Test
    void whatIsDueForEverIsNotLost() {
        LoopTask last = new LoopTask(null, start + Long.MAX_VALUE / 2, () -> { }, gone -> { });
        add(last);
        add(start);
        pass(System.nanoTime() + MILLI);
        assertEquals(Set.of(last), Set.copyOf(expected));
        pass(start + Long.MAX_VALUE / 2 + MILLI);
        assertTrue(expected.isEmpty());
    }
}
