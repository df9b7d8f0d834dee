// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.harness;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Measures ways against each other in rounds, each of which begins with another way. Stateless. */
public final class Turns {
    private Turns() {
    }

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

    /** What is done with the results of some rounds: a run may be broken off. */
    public interface Keeper<C, S> {
        void keep(List<Result<C, S>> results) throws IOException;
    }

    /** Gives each way a turn in each setting in each round. The task is the name of the program. */
    public static <C, W, S> List<Result<C, S>> play(String task, int rounds, List<C> settings, List<W> ways,
            Turn<C, W, S> turn, Keeper<C, S> keeper) throws IOException {
        List<Result<C, S>> results = new ArrayList<>();
        List<W> order = new ArrayList<>(ways);
        try (Progress progress = new Progress(task, (long) rounds * settings.size() * ways.size())) {
            for (int round = 1; round <= rounds; round++) {
                for (C setting : settings) {
                    for (W way : order) {
                        progress.now("round " + round + ", " + setting + ", " + way);
                        results.add(new Result<>(way.toString(), setting, round, turn.take(setting, way)));
                        progress.step();
                    }
                }
                keeper.keep(results);
                Collections.rotate(order, -1);
            }
        }
        return results;
    }

    /** What one way showed in a setting. */
    public static <C, S> Series<S> of(List<Result<C, S>> results, String way, C setting) {
        return new Series<>(results.stream().filter(each -> each.way().equals(way) && each.setting().equals(setting))
                .map(Result::sample).toList());
    }
}
