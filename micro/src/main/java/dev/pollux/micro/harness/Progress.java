// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.harness;

import me.tongfei.progressbar.ConsoleProgressBarConsumer;
import me.tongfei.progressbar.DelegatingProgressBarConsumer;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;

/**
 * Shows on standard error how far a program is: a bar on a terminal, elsewhere a line now and then. It draws in a
 * thread of its own, so it must not run in a virtual machine that is measured. Used by one thread.
 */
public final class Progress implements AutoCloseable {
    private static final int WIDTH = 110;

    /** Set by the script, since Java cannot tell what standard error is. */
    private static final boolean TERMINAL = Boolean.getBoolean("terminal");

    private final ProgressBar bar;

    /** Arguments: what is done, and in how many steps. */
    public Progress(String task, long steps) {
        bar = new ProgressBarBuilder().setTaskName(task).setInitialMax(steps).setStyle(ProgressBarStyle.ASCII)
                .setUpdateIntervalMillis(TERMINAL ? 1_000 : 30_000)
                .setConsumer(TERMINAL ? new ConsoleProgressBarConsumer(System.err, WIDTH)
                        : new DelegatingProgressBarConsumer(System.err::println, WIDTH))
                .build();
    }

    /** What comes now, shown beside the bar. */
    public void now(String what) {
        bar.setExtraMessage(" " + what);
    }

    /** One step is done. */
    public void step() {
        bar.step();
    }

    @Override
    public void close() {
        bar.close();
    }
}
