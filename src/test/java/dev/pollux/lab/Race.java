// SPDX-License-Identifier: Apache-2.0
package dev.pollux.lab;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** Does things to a thread that waits again and again, at any moment of its waits, and expects that it answers each. */
public final class Race {
    private static final long LENGTH = TimeUnit.SECONDS.toNanos(1);
    private static final long PATIENCE = TimeUnit.SECONDS.toNanos(20);

    private Race() {
    }

    /** Something that the waiting thread answers by counting. */
    public record Question(String name, Step ask, AtomicLong answers) {
    }

    /** What is done. */
    public interface Step {
        void run() throws Exception;
    }

    /** Asks the questions in turn, for a while and each of them several times. */
    public static void run(Question... questions) throws Exception {
        long end = System.nanoTime() + LENGTH;
        long asked = 0;
        while (System.nanoTime() < end || asked < 3L * questions.length) {
            Question question = questions[(int) (asked++ % questions.length)];
            long before = question.answers.get();
            question.ask.run();
            long deadline = System.nanoTime() + PATIENCE;
            while (question.answers.get() == before) {
                assertTrue(System.nanoTime() < deadline, () -> "no answer to " + question.name);
                Thread.onSpinWait();
            }
            delay();
        }
    }

    private static void delay() {
        long until = System.nanoTime() + ThreadLocalRandom.current().nextInt(100_000);
        while (System.nanoTime() < until) {
            Thread.onSpinWait();
        }
    }
}
