// SPDX-License-Identifier: Apache-2.0
package dev.pollux.selector;

import static java.nio.channels.SelectionKey.OP_READ;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.channels.Pipe;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Tag;

/** Selections for which there is not enough stack: they may fail anywhere, and the next one finds what they had found. */
class SmallStackTest {

    private static final int STACK_BYTES = 1 << 18;

    /** So many frames before the end of the stack selections begin, and as many after it, in case code was compiled meanwhile. */
    private static final int SWEEP = 160;

    @EachProvider
    void aKeyIsSelectedAfterASelectionThatHadNoStack(Lab lab) throws Exception {
        Selector selector = lab.selector();
        Pipe pipe = lab.pipe();
        Io.feed(pipe);
        SelectionKey key = pipe.source().register(selector, OP_READ);
        int failed = 0;
        for (int i = 0; i < 15; i++) {
            failed += onSmallStack(() -> sweep(selector, key));
        }
        assertTrue(failed > 0, "no selection ran out of stack");
    }

    private static int sweep(Selector selector, SelectionKey key) throws Exception {
        int failed = 0;
        int last = reach();
        for (int depth = Math.max(last - SWEEP, 0); depth < last + SWEEP; depth++) {
            key.interestOps(OP_READ);
            assertEquals(1, selector.selectNow(k -> { }));
            failed += selectAt(depth, selector) ? 0 : 1;
            assertEquals(1, selector.selectNow(k -> { }), "after a selection " + (last - depth) + " frames before the end");
            key.interestOps(0);
            assertEquals(0, selector.selectNow());
            selector.selectedKeys().clear();
        }
        return failed;
    }

    @EachProvider
    @Tag("beyond-jdk")
    void moreKeysThanTheBufferHoldsAreSelectedAfterASelectionThatHadNoStack(Lab lab) throws Exception {
        Pipe[] pipes = new Pipe[300];
        for (int i = 0; i < pipes.length; i++) {
            pipes[i] = lab.pipe();
            Io.feed(pipes[i]);
        }
        int failed = onSmallStack(() -> {
            int count = 0;
            int last = reach();
            for (int depth = Math.max(last - SWEEP, 0); depth < last + SWEEP; depth += 5) {
                count += oneSelectionAt(depth, lab, pipes) ? 0 : 1;
            }
            return count;
        });
        assertTrue(failed > 0, "no selection ran out of stack");
    }

    private static boolean oneSelectionAt(int depth, Lab lab, Pipe[] pipes) throws Exception {
        try (Selector selector = lab.provider().openSelector()) {
            for (Pipe pipe : pipes) {
                // What is ready and not asked for has the selector arm keys for one event.
                SelectionKey key = pipe.source().register(selector, OP_READ);
                if (selector.keys().size() <= 40) {
                    assertEquals(1, selector.selectNow(k -> k.interestOps(0)));
                    assertEquals(0, selector.selectNow());
                    key.interestOps(0);
                }
            }
            selector.keys().forEach(key -> key.interestOps(OP_READ));
            boolean enough = selectAt(depth, selector);
            selector.selectedKeys().clear();
            Set<SelectionKey> again = new HashSet<>();
            selector.selectNow(again::add);
            assertEquals(pipes.length, again.size(), "keys after a selection at depth " + depth);
            return enough;
        }
    }

    /** Selects from so many frames below: false if the stack ended before the selection did. */
    private static boolean selectAt(int depth, Selector selector) throws Exception {
        try {
            descend(depth, selector);
            return true;
        } catch (StackOverflowError e) {
            return false;
        }
    }

    private static int descend(int depth, Selector selector) throws Exception {
        return depth == 0 ? selector.selectNow() : descend(depth - 1, selector);
    }

    /** How many frames of {@link #descend} there is room for, about. */
    private static int reach() throws Exception {
        int high = 1;
        while (fits(high)) {
            high *= 2;
        }
        int low = high / 2;
        while (high - low > 1) {
            int middle = (low + high) / 2;
            if (fits(middle)) {
                low = middle;
            } else {
                high = middle;
            }
        }
        return low;
    }

    private static boolean fits(int depth) throws Exception {
        try {
            descend(depth, null);
            return true;
        } catch (NullPointerException e) {
            return true;
        } catch (StackOverflowError e) {
            return false;
        }
    }

    private static <T> T onSmallStack(Callable<T> body) throws Exception {
        FutureTask<T> task = new FutureTask<>(body);
        new Thread(null, task, "small stack", STACK_BYTES).start();
        return task.get();
    }
}
