// SPDX-License-Identifier: Apache-2.0
package dev.pollux.loading.batch;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Selector;

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

    /** Takes turns, does what is special, prints how it went, and ends the program. */
    final void run(int turns, Step turn, Step special) throws Exception {
        for (int i = 0; i < turns; i++) {
            turn.run();
        }
        System.out.println("warm: " + selector);
        special.run();
        System.out.println("as it should be");
        System.exit(0);
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
}
