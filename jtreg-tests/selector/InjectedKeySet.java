// SPDX-License-Identifier: Apache-2.0

/*
 * @test id=epoll
 * @summary a framework replaces both set fields by reflection, as Netty does; selections fill its set
 * @library /lib
 * @run main/othervm --add-opens java.base/sun.nio.ch=ALL-UNNAMED
 *     -Djava.nio.channels.spi.SelectorProvider=dev.pollux.EPollSelectorProvider InjectedKeySet
 */

/*
 * @test id=poll
 * @summary a framework replaces both set fields by reflection, as Netty does; selections fill its set
 * @library /lib
 * @run main/othervm --add-opens java.base/sun.nio.ch=ALL-UNNAMED
 *     -Djava.nio.channels.spi.SelectorProvider=dev.pollux.PollSelectorProvider InjectedKeySet
 */

import java.lang.reflect.Field;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.AbstractSet;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Set;

public class InjectedKeySet {

    private static final int PIPES = 300;
    private static final int ROUNDS = 50;

    /** A set that only grows and is emptied at once; it finds nothing, as Netty's first versions did not. */
    private static final class GrowingSet extends AbstractSet<SelectionKey> {

        private final List<SelectionKey> keys = new ArrayList<>();

        @Override
        public boolean add(SelectionKey key) {
            return keys.add(key);
        }

        @Override
        public boolean contains(Object key) {
            return false;
        }

        @Override
        public boolean remove(Object key) {
            return false;
        }

        @Override
        public Iterator<SelectionKey> iterator() {
            return keys.iterator();
        }

        @Override
        public int size() {
            return keys.size();
        }
    }

    public static void main(String[] args) throws Exception {
        GrowingSet injected = new GrowingSet();
        List<Pipe> pipes = new ArrayList<>();
        try (Selector selector = Check.open()) {
            Set<SelectionKey> keys = new HashSet<>();
            for (int i = 0; i < PIPES; i++) {
                Pipe pipe = Pipe.open();
                pipes.add(pipe);
                keys.add(pipe.source().configureBlocking(false).register(selector, SelectionKey.OP_READ));
                pipe.sink().write(ByteBuffer.allocate(1));
            }
            Check.same(PIPES, selector.select(), "keys before the replacement");
            replace(selector, injected);
            Check.that(selector.selectedKeys() == injected, "selectedKeys() is not the injected set");
            for (int round = 0; round < ROUNDS; round++) {
                Check.same(PIPES, selector.select(), "keys of round " + round);
                Check.same(PIPES, injected.size(), "size of the injected set");
                Check.same(keys, new HashSet<>(injected.keys), "the injected set");
                injected.keys.clear();
            }
            drain(selector, injected, pipes);
        }
        for (Pipe pipe : pipes) {
            pipe.source().close();
            pipe.sink().close();
        }
    }

    private static void replace(Selector selector, Set<SelectionKey> set) throws ReflectiveOperationException {
        Class<?> type = Class.forName("sun.nio.ch.SelectorImpl");
        Check.that(type.isInstance(selector), selector + " is no SelectorImpl: frameworks would not touch it");
        for (String name : List.of("selectedKeys", "publicSelectedKeys")) {
            Field field = type.getDeclaredField(name);
            field.setAccessible(true);
            field.set(selector, set);
        }
    }

    private static void drain(Selector selector, GrowingSet injected, List<Pipe> pipes) throws Exception {
        for (Pipe pipe : pipes) {
            pipe.source().read(ByteBuffer.allocate(1));
        }
        Check.same(0, selector.selectNow(), "keys after all was read");
        Check.same(0, injected.size(), "size of the injected set");
        pipes.get(7).sink().write(ByteBuffer.allocate(1));
        Check.same(1, selector.select(), "keys after one write");
        Check.that(injected.keys.get(0).channel() == pipes.get(7).source(), "another channel");
    }
}
