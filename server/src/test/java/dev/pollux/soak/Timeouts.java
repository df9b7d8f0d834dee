// SPDX-License-Identifier: Apache-2.0
package dev.pollux.soak;

import static java.nio.channels.SelectionKey.OP_READ;
import static java.util.concurrent.TimeUnit.MILLISECONDS;

import dev.pollux.Poller;
import dev.pollux.lab.SignalStorm;
import java.nio.channels.Pipe;
import java.nio.channels.Selector;
import java.util.concurrent.TimeUnit;

/** Timeouts are waited out under signals at a profiler's rate and above, and are never cut short. */
final class Timeouts extends Scenario {
    private static final int MAX_MILLIS = 100;

    Timeouts(Site site) {
        super(site);
    }

    /** One wait that nothing but its timeout ends. */
    private interface Wait {
        int run(long millis) throws Exception;
    }

    @Override
    void start() throws Exception {
        Selector selector = selector();
        idlePipe().source().register(selector, OP_READ);
        Poller poller = poller();
        poller.add(idlePipe().source(), Poller.POLLIN);
        Poller.Handler nothing = (member, events) -> { };
        run("a selector", selector::select);
        run("a Poller", millis -> poller.await(nothing, millis, MILLISECONDS));
        if (Site.JDK >= 21) {
            Selector virtual = selector();
            Flow flow = flow("a virtual thread's selector");
            driveVirtually(() -> waitOn(virtual::select, flow));
        }
    }

    private Pipe idlePipe() throws Exception {
        Pipe pipe = pipe();
        opened(pipe.source());
        opened(pipe.sink());
        return pipe;
    }

    private void run(String what, Wait wait) {
        Flow flow = flow(what);
        drive(what, () -> {
            try (SignalStorm storm = opening(SignalStorm::againstThisThread)) {
                waitOn(wait, flow);
                if (!storm.isRaging()) {
                    throw new IllegalStateException("the signals have ended");
                }
            }
        });
    }

    private void waitOn(Wait wait, Flow flow) throws Exception {
        while (!isStopping()) {
            long millis = 1L + random(MAX_MILLIS);
            long start = System.nanoTime();
            int ready = wait.run(millis);
            long nanos = System.nanoTime() - start;
            if (ready != 0 || nanos < TimeUnit.MILLISECONDS.toNanos(millis)) {
                throw new IllegalStateException(ready + " ready, " + millis + " ms took " + nanos + " ns");
            }
            tally.timeouts.increment();
            flow.beat();
        }
    }
}
