// SPDX-License-Identifier: Apache-2.0

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.function.Consumer;

/**
 * Prints how many nanoseconds of processor time a selection with one ready channel takes, and one with a wakeup: of the
 * batch that took least, since other processes only make a batch dearer.
 */
public final class Selections {
    private static final int WARMUP = 150;
    private static final int BATCHES = 300;
    private static final int OPERATIONS = 20_000;

    private final ThreadMXBean threads = ManagementFactory.getThreadMXBean();

    private Selections() {
    }

    /** What is measured. */
    private interface Operation {
        void run() throws IOException;
    }

    public static void main(String[] arguments) throws IOException {
        Selections selections = new Selections();
        Pipe pipe = Pipe.open();
        Selector selector = Selector.open();
        pipe.source().configureBlocking(false).register(selector, SelectionKey.OP_READ);
        ByteBuffer one = ByteBuffer.allocate(1);
        Consumer<SelectionKey> none = key -> { };

        pipe.sink().write(one.clear());
        double ready = selections.least(() -> selector.select(none));
        pipe.source().read(one.clear());
        double woken = selections.least(() -> selector.wakeup().select(none));
        System.out.printf("%.1f %.1f%n", ready, woken);
    }

    private double least(Operation operation) throws IOException {
        long least = Long.MAX_VALUE;
        for (int batch = 0; batch < WARMUP + BATCHES; batch++) {
            long before = threads.getCurrentThreadCpuTime();
            for (int i = 0; i < OPERATIONS; i++) {
                operation.run();
            }
            long taken = threads.getCurrentThreadCpuTime() - before;
            if (batch >= WARMUP) {
                least = Math.min(least, taken);
            }
        }
        return (double) least / OPERATIONS;
    }
}
