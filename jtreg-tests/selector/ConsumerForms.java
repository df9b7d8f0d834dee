// SPDX-License-Identifier: Apache-2.0

/*
 * @test id=epoll
 * @summary the three forms with an action: what they call, how often, and what an action may do
 * @library /lib
 * @run main/othervm -Djava.nio.channels.spi.SelectorProvider=dev.pollux.EPollSelectorProvider ConsumerForms
 */

/*
 * @test id=poll
 * @summary the three forms with an action: what they call, how often, and what an action may do
 * @library /lib
 * @run main/othervm -Djava.nio.channels.spi.SelectorProvider=dev.pollux.PollSelectorProvider ConsumerForms
 */

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

public class ConsumerForms {

    private static final int BOTH = SelectionKey.OP_READ | SelectionKey.OP_WRITE;

    public static void main(String[] args) throws IOException {
        try (ServerSocketChannel listener = ServerSocketChannel.open()) {
            listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            try (Selector selector = Check.open();
                    SocketChannel mine = SocketChannel.open(listener.getLocalAddress());
                    SocketChannel theirs = listener.accept()) {
                theirs.write(ByteBuffer.allocate(1));
                SelectionKey key = mine.configureBlocking(false).register(selector, SelectionKey.OP_READ);
                Check.same(1, selector.select(), "readable");
                selector.selectedKeys().clear();
                key.interestOps(BOTH);
                calls(selector, key);
                refusals(selector);
                failingAction(selector, key);
                closingAction(selector);
            }
        }
    }

    private static void calls(Selector selector, SelectionKey key) throws IOException {
        List<Selection> forms = List.of(selector::select, selector::selectNow,
                action -> selector.select(action, 60_000));
        for (Selection form : forms) {
            List<Integer> ready = new ArrayList<>();
            Check.same(1, form.run(k -> {
                Check.that(k == key, "another key");
                ready.add(k.readyOps());
            }), "keys");
            Check.same(List.of(BOTH), ready, "one call with both operations");
            Check.that(selector.selectedKeys().isEmpty(), "the action forms filled the selected-key set");
        }
        key.interestOps(0);
        Check.same(0, selector.selectNow(k -> Check.that(false, "called without interest")), "keys without interest");
        Check.same(0, selector.select(k -> Check.that(false, "called without interest"), 20), "keys without interest");
        key.interestOps(BOTH);
    }

    private static void refusals(Selector selector) throws IOException {
        Check.thrown(NullPointerException.class, () -> selector.select(null));
        Check.thrown(NullPointerException.class, () -> selector.selectNow(null));
        Check.thrown(IllegalArgumentException.class, () -> selector.select(k -> { }, -1));
        Check.same(1, selector.select(k -> {
            Check.thrown(IllegalStateException.class, selector::select);
            Check.thrown(IllegalStateException.class, selector::selectNow);
            Check.thrown(IllegalStateException.class, () -> selector.select(x -> { }));
        }), "keys of a selection whose action selects");
    }

    private static void failingAction(Selector selector, SelectionKey key) throws IOException {
        RuntimeException mine = new RuntimeException("from the action");
        Check.that(mine == Check.thrown(RuntimeException.class, () -> selector.select(k -> {
            throw mine;
        })), "another exception");
        Check.same(1, selector.select(k -> Check.same(key, k, "key")), "keys after an action failed");
    }

    private static void closingAction(Selector selector) {
        Check.thrown(ClosedSelectorException.class, () -> selector.select(k -> close(selector)));
        Check.that(!selector.isOpen(), "still open");
        Check.thrown(ClosedSelectorException.class, () -> selector.selectNow(k -> { }));
    }

    private static void close(Selector selector) {
        try {
            selector.close();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /** One of the three forms. */
    private interface Selection {
        int run(Consumer<SelectionKey> action) throws IOException;
    }
}
