// SPDX-License-Identifier: Apache-2.0
package dev.pollux.soak;

import static java.nio.channels.SelectionKey.OP_READ;

import java.nio.channels.Pipe;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;

/**
 * Keys are cancelled by a thread that does not select, one at a time: each must be gone after the next selection, or it
 * stays for ever, since there is no other cancellation that would take it along.
 */
final class Cancellations extends Scenario {
    Cancellations(Site site) {
        super(site);
    }

    @Override
    void start() throws Exception {
        Selector selector = selector();
        serve("select", () -> {
            while (!isClosing()) {
                selector.select(1); // it comes round by itself, now and then while a key is being cancelled
                tally.timeouts.increment();
                while (!isClosing() && !oneIn(64)) {
                    selector.selectNow();
                }
            }
        });
        Flow flow = flow("keys");
        drive("cancel", () -> {
            while (!isStopping()) {
                once(selector);
                tally.exchanges.increment();
                flow.beat();
            }
        });
    }

    private void once(Selector selector) throws Exception {
        Pipe pipe = pipe();
        SelectionKey key = pipe.source().register(selector, OP_READ);
        pause();
        if (oneIn(2)) {
            key.cancel();
        } else {
            pipe.source().close();
        }
        tally.changes.add(2);
        while (selector.keys().contains(key)) {
            Thread.onSpinWait();
            pause();
        }
        pipe.source().close();
        pipe.sink().close();
    }
}
