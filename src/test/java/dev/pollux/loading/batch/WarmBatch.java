// SPDX-License-Identifier: Apache-2.0
package dev.pollux.loading.batch;

import dev.pollux.internal.count.Counter;
import dev.pollux.internal.count.Loop;
import dev.pollux.internal.count.LoopStatistics;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Selector;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A selecting thread that takes turns until a batch pays, and then does something special. */
abstract class WarmBatch {
    static final int BYTES = 100;

    final Selector selector = Selector.open();
    final ByteBuffer buffer = ByteBuffer.allocateDirect(10_000);

    /** A turn, or what is special. */
    interface Step {
        void run() throws Exception;
    }

    WarmBatch() throws IOException {
    }

    /** Takes turns, does what is special, and prints how it went. The program must be ended: its threads may wait. */
    final void run(int turns, Step turn, Step special) throws Exception {
        for (int i = 0; i < turns; i++) {
            turn.run();
        }
        System.out.println("warm: " + counters(selector));
        special.run();
        System.out.println("as it should be");
    }

    final int selectNow() throws IOException {
        int ready = selector.selectNow();
        selector.selectedKeys().clear();
        return ready;
    }

    static void require(boolean holds, String otherwise) {
        if (!holds) {
            throw new AssertionError(otherwise);
        }
    }

    /** All counters of a selector: {@code deferredWrites=9} and the like. */
    static String counters(Selector selector) {
        LoopStatistics statistics = ((Loop) selector).statistics();
        return Stream.of(Counter.values()).map(each -> each.key() + '=' + statistics.count(each))
                .collect(Collectors.joining(", "));
    }
}
