// SPDX-License-Identifier: Apache-2.0

/*
 * @test id=epoll
 * @summary a channel that gets the number of a closed one is not mistaken for it
 * @library /lib
 * @run main/othervm -Djava.nio.channels.spi.SelectorProvider=dev.pollux.EPollSelectorProvider DescriptorReuse
 */

/*
 * @test id=poll
 * @summary a channel that gets the number of a closed one is not mistaken for it
 * @library /lib
 * @run main/othervm -Djava.nio.channels.spi.SelectorProvider=dev.pollux.PollSelectorProvider DescriptorReuse
 */

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.HashSet;
import java.util.Set;

public class DescriptorReuse {

    private static final int ROUNDS = 3_000;

    public static void main(String[] args) throws Exception {
        Check.open().close();
        Pipe.open().sink().close();
        try (Selector selector = Check.open()) {
            Set<Integer> numbers = new HashSet<>();
            Set<Integer> before = Check.descriptors().keySet();
            for (int round = 0; round < ROUNDS; round++) {
                closeRegistered(selector);
                notRegistered(selector);
                registeredAnew(selector);
                if (round % 100 == 0) {
                    numbers.addAll(Check.descriptors().keySet());
                }
            }
            numbers.removeAll(before);
            Check.that(numbers.size() <= 4, "the numbers were not used again, the test proves nothing: " + numbers);
        }
    }

    /** Leaves a key behind whose channel was ready and is closed. */
    private static void closeRegistered(Selector selector) throws IOException {
        Pipe pipe = Pipe.open();
        pipe.source().configureBlocking(false).register(selector, SelectionKey.OP_READ, "old");
        pipe.sink().write(ByteBuffer.allocate(1));
        Check.same(1, selector.select(), "keys of the old channel");
        pipe.source().close();
        pipe.sink().close();
        Check.same(0, selector.selectNow(), "keys after it was closed");
        Check.that(selector.keys().isEmpty() && selector.selectedKeys().isEmpty(), "the old key is left");
    }

    /** The new channel is ready but nobody registered it. */
    private static void notRegistered(Selector selector) throws IOException {
        Pipe pipe = Pipe.open();
        try (Pipe.SourceChannel source = pipe.source(); Pipe.SinkChannel sink = pipe.sink()) {
            sink.write(ByteBuffer.allocate(1));
            Check.same(0, selector.selectNow(), "keys while only a foreign channel is ready");
            Check.that(!source.isRegistered(), "registered");
        }
    }

    /** Registered without interest in what is ready, then with it. */
    private static void registeredAnew(Selector selector) throws IOException {
        Pipe pipe = Pipe.open();
        try (Pipe.SourceChannel source = pipe.source(); Pipe.SinkChannel sink = pipe.sink()) {
            sink.write(ByteBuffer.allocate(1));
            SelectionKey key = source.configureBlocking(false).register(selector, 0, "new");
            Check.same(0, selector.selectNow(), "keys without interest");
            key.interestOps(SelectionKey.OP_READ);
            Check.same(1, selector.select(k -> Check.same("new", k.attachment(), "attachment")), "keys with interest");
        }
        Check.same(0, selector.selectNow(), "keys at the end");
    }
}
