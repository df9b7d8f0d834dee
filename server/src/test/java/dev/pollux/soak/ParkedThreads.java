// SPDX-License-Identifier: Apache-2.0
package dev.pollux.soak;

import static java.nio.channels.SelectionKey.OP_READ;

import dev.pollux.lab.Io;
import java.nio.channels.Pipe;
import java.nio.channels.Selector;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;

/**
 * Very many virtual threads wait in a selector of their own. Now and then one is woken, sent a byte or interrupted, and
 * must say so before the next is.
 */
final class ParkedThreads extends Scenario {
    /** On epoll they cost no carrier; else the scheduler lends 256 at most, also to other scenarios. */
    private final int many = site.isEPoll() && Site.JDK >= 24 ? 1000 : 100;

    private final List<Sleeper> sleepers = new ArrayList<>();

    ParkedThreads(Site site) {
        super(site);
    }

    private final class Sleeper {
        final Selector selector;
        final Pipe pipe;
        final Semaphore awake = new Semaphore(0);
        volatile Thread thread;

        Sleeper(boolean withPipe) throws Exception {
            selector = selector();
            pipe = withPipe ? pipe() : null;
            if (withPipe) {
                opened(pipe.source()).register(selector, OP_READ);
                opened(pipe.sink());
            }
        }

        void sleep() throws Exception {
            thread = Thread.currentThread();
            while (!isClosing()) {
                int ready = selector.select();
                tally.events.add(ready);
                Thread.interrupted();
                if (ready != 0) {
                    selector.selectedKeys().clear();
                    Io.drain(pipe.source());
                }
                awake.release();
            }
        }
    }

    @Override
    String skipped() {
        return Site.JDK < 21 ? "no virtual threads" : null;
    }

    @Override
    void start() throws Exception {
        for (int i = 0; i < many; i++) {
            Sleeper sleeper = new Sleeper(i % 8 == 0);
            sleepers.add(sleeper);
            serveVirtually(sleeper::sleep);
        }
        Flow flow = flow("wakeups of " + many);
        drive("wake", () -> {
            while (!isStopping()) {
                rouse(sleepers.get(random(many)));
                tally.exchanges.increment();
                flow.beat();
                pause();
            }
        });
    }

    private void rouse(Sleeper sleeper) throws Exception {
        int way = random(4);
        if (way == 0 && sleeper.thread != null) {
            sleeper.thread.interrupt();
            tally.interrupts.increment();
        } else if (way == 1 && sleeper.pipe != null) {
            Io.feed(sleeper.pipe);
        } else {
            sleeper.selector.wakeup();
            tally.wakeups.increment();
        }
        sleeper.awake.acquire();
    }
}
