// SPDX-License-Identifier: Apache-2.0
package dev.pollux.soak;

import static java.nio.channels.SelectionKey.OP_READ;

import dev.pollux.lab.Io;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.Pipe;
import java.nio.channels.Selector;
import java.util.concurrent.Semaphore;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.TimeUnit;

/** Selectors are opened, and closed while another thread, a platform or a virtual one, selects. */
final class ClosedSelectors extends Scenario {
    private static final int PAIRS = 4;

    ClosedSelectors(Site site) {
        super(site);
    }

    @Override
    void start() throws Exception {
        for (int i = 0; i < PAIRS; i++) {
            SynchronousQueue<Selector> queue = new SynchronousQueue<>();
            Semaphore ended = new Semaphore(0);
            Flow flow = flow("pair " + i);
            if (i % 2 == 0 || Site.JDK < 21) {
                serve("select " + i, () -> selectAll(queue, ended));
            } else {
                serveVirtually(() -> selectAll(queue, ended));
            }
            drive("close " + i, () -> closeAll(queue, ended, flow));
        }
    }

    private void closeAll(SynchronousQueue<Selector> queue, Semaphore ended, Flow flow) throws Exception {
        while (!isStopping()) {
            Pipe pipe = pipe();
            Selector selector = opening(site.provider()::openSelector);
            pipe.source().register(selector, OP_READ);
            queue.put(selector);
            pause();
            if (oneIn(4)) {
                Io.feed(pipe);
            } else if (oneIn(3)) {
                selector.wakeup();
            }
            if (oneIn(4)) {
                pipe.source().close();
            }
            selector.close();
            ended.acquire();
            pipe.source().close();
            pipe.sink().close();
            tally.exchanges.increment();
            flow.beat();
        }
    }

    private void selectAll(SynchronousQueue<Selector> queue, Semaphore ended) throws Exception {
        while (!isClosing()) {
            Selector selector = queue.poll(20, TimeUnit.MILLISECONDS);
            if (selector == null) {
                continue;
            }
            try {
                while (true) {
                    selector.select();
                    tally.events.increment();
                }
            } catch (ClosedSelectorException e) {
                ended.release();
            }
        }
    }
}
