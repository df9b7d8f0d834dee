// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.harness;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import me.tongfei.progressbar.ConsoleProgressBarConsumer;
import me.tongfei.progressbar.DelegatingProgressBarConsumer;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;

/**
 * Measures ways against each other in rounds, each of which begins with another way.
 *
 * @param <C> the kind of settings
 * @param <S> the kind of samples
 */
public final class Rounds<C, S> {
    private static final int WIDTH = 100;
    /** Set by the script, since Java cannot tell what standard error is. */
    private static final boolean TERMINAL = Boolean.getBoolean("terminal");

    private final List<Result<C, S>> results = new ArrayList<>();

    /**
     * What a way showed in one turn.
     *
     * @param <C> the kind of settings
     * @param <S> the kind of samples
     */
    public record Result<C, S>(String way, C setting, int round, S sample) {
    }

    /**
     * Measures once.
     *
     * @param <C> the kind of settings
     * @param <W> the kind of ways
     * @param <S> the kind of samples
     */
    public interface Turn<C, W, S> {
        /** Has that way run in that setting. */
        S take(C setting, W way) throws IOException;
    }

    /** Gives each way a turn in each setting in each round, and has the program save what is there after each. */
    public static <C, W, S> Rounds<C, S> play(String name, Program program, List<C> settings, List<W> ways,
            Turn<C, W, S> turn) throws IOException {
        Rounds<C, S> played = new Rounds<>();
        List<W> order = new ArrayList<>(ways);
        try (ProgressBar progress = progress(name, (long) program.rounds * settings.size() * ways.size())) {
            for (int round = 1; round <= program.rounds; round++) {
                for (C setting : settings) {
                    for (W way : order) {
                        progress.setExtraMessage(" round " + round + ", " + setting + ", " + way);
                        played.results.add(new Result<>(way.toString(), setting, round, turn.take(setting, way)));
                        progress.step();
                    }
                }
                program.save(played.results);
                Collections.rotate(order, -1);
            }
        }
        return played;
    }

    /**
     * Shows on standard error how far a program is: a bar on a terminal, elsewhere a line now and then. It draws in a
     * thread of its own, so it must not run in a virtual machine that is measured.
     */
    public static ProgressBar progress(String task, long steps) {
        return new ProgressBarBuilder().setTaskName(task).setInitialMax(steps).setStyle(ProgressBarStyle.ASCII)
                .setUpdateIntervalMillis(TERMINAL ? 1_000 : 30_000)
                .setConsumer(TERMINAL ? new ConsoleProgressBarConsumer(System.err, WIDTH)
                        : new DelegatingProgressBarConsumer(System.err::println, WIDTH))
                .build();
    }

    /** What one way showed in a setting. */
    public Series<S> of(Object way, C setting) {
        return new Series<>(results.stream()
                .filter(each -> each.way().equals(way.toString()) && each.setting().equals(setting))
                .map(Result::sample).toList());
    }

    /** All of it, in the order of measuring. */
    public List<Result<C, S>> results() {
        return results;
    }
}
