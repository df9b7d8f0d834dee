// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.bench;

import java.io.IOException;
import java.lang.reflect.Field;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.AbstractSet;
import java.util.Arrays;
import java.util.Iterator;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Param;

/** Single operations of a selector, one class for each benchmark. */
public final class Operations {
    private Operations() {
    }

    /** {@code select(Consumer)} with one channel ready of few or many. */
    public static class SelectOne extends Setting {
        /** How many channels are registered. */
        @Param({"1", "10", "100", "1000", "10000"})
        public int size;

        @Override
        void prepare() throws IOException {
            sockets.register(size, 1, SelectionKey.OP_READ);
        }

        @Benchmark
        public int select() throws IOException {
            seen = 0;
            selector.select(action);
            return equal(SelectionKey.OP_READ, seen);
        }
    }

    /** One or many channels ready. */
    public abstract static class Loaded extends Setting {
        /** Ready channels, a slash, registered channels. */
        @Param({"1/1", "16/16", "100/2000", "1000/10000"})
        public String load;

        int ready;

        @Override
        void prepare() throws IOException {
            ready = sockets.register(load);
        }
    }

    /** {@code select(Consumer)} with many channels ready. */
    public static class SelectConsumer extends Loaded {
        @Benchmark
        public int select() throws IOException {
            seen = 0;
            equal(ready, selector.select(action));
            return equal(ready, seen);
        }
    }

    /** {@code select()}, then the loop of every textbook: iterate over the selected keys and remove each. */
    public static class SelectKeys extends Loaded {
        @Benchmark
        public int selectAndRemove() throws IOException {
            equal(ready, selector.select());
            int found = 0;
            Iterator<SelectionKey> keys = selector.selectedKeys().iterator();
            while (keys.hasNext()) {
                found += keys.next().readyOps();
                keys.remove();
            }
            return equal(ready, found);
        }
    }

    /** 1000 channels ready, in a selector whose key set was replaced the way Netty replaces it. */
    @Fork(jvmArgsAppend = "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED")
    public static class ReplacedKeySet extends Setting {
        private static final int READY = 1000;

        private final ArrayKeySet keys = new ArrayKeySet();

        @Override
        void prepare() throws IOException, ReflectiveOperationException {
            sockets.register(READY, READY, SelectionKey.OP_READ);
            for (String set : new String[] {"selectedKeys", "publicSelectedKeys"}) {
                Field field = Class.forName("sun.nio.ch.SelectorImpl").getDeclaredField(set);
                field.setAccessible(true);
                field.set(selector, keys);
            }
        }

        @Benchmark
        public int selectAndReset() throws IOException {
            equal(READY, selector.select());
            int ready = 0;
            for (int i = 0; i < keys.size(); i++) {
                ready += keys.get(i).readyOps();
            }
            keys.reset();
            return equal(READY, ready);
        }
    }

    /** A wakeup that no thread waits for, and the selection that it ends; no channels. */
    public static class SelectorWakeup extends Setting {
        @Benchmark
        public int wakeupAndSelect() throws IOException {
            return equal(0, selector.wakeup().select());
        }
    }

    /** The life of a selector that is never used. */
    public static class OpenClose extends Setting {
        @Benchmark
        public Selector openAndClose() throws IOException {
            Selector opened = sockets.provider.openSelector();
            opened.close();
            return opened;
        }
    }

    /** One idle channel, registered for reading. */
    public abstract static class OneIdle extends Setting {
        SelectionKey key;

        @Override
        void prepare() throws IOException {
            key = sockets.register(1, 0, SelectionKey.OP_READ).idleKey();
        }
    }

    /** {@code selectNow()} with one channel registered and nothing ready. */
    public static class SelectNowEmpty extends OneIdle {
        @Benchmark
        public int selectNow() throws IOException {
            return equal(0, selector.selectNow());
        }
    }

    /** Read interest taken away and given back before one {@code selectNow()} that finds nothing. */
    public static class InterestNow extends OneIdle {
        @Benchmark
        public int offOnSelectNow() throws IOException {
            key.interestOps(0);
            key.interestOps(SelectionKey.OP_READ);
            return equal(0, selector.selectNow());
        }
    }

    /** Write interest switched on and off, a selection after each, as a server does whose peer reads slowly. */
    public static class WriteOnOff extends OneIdle {
        /** Two changes, two selections: the first finds the channel writable, the second nothing. */
        @Benchmark
        public int onSelectOffSelect() throws IOException {
            seen = 0;
            key.interestOps(SelectionKey.OP_READ | SelectionKey.OP_WRITE);
            selector.select(action);
            key.interestOps(SelectionKey.OP_READ);
            selector.selectNow(action);
            return equal(SelectionKey.OP_WRITE, seen);
        }
    }

    /** Read interest taken away from an idle channel and given back, a selection after each; one other ready. */
    public static class InterestSelect extends Setting {
        private SelectionKey idleKey;

        @Override
        void prepare() throws IOException {
            idleKey = sockets.register(2, 1, SelectionKey.OP_READ).idleKey();
        }

        @Benchmark
        public int offSelectOnSelect() throws IOException {
            seen = 0;
            idleKey.interestOps(0);
            selector.select(action);
            idleKey.interestOps(SelectionKey.OP_READ);
            selector.select(action);
            return equal(2 * SelectionKey.OP_READ, seen);
        }
    }

    /** A channel registered, seen by a selection, cancelled, and removed by the next selection. */
    public static class RegisterCancel extends Setting {
        private SocketChannel channel;

        @Override
        void prepare() throws IOException {
            channel = sockets.connectIdle();
        }

        @Benchmark
        public int registerSelectCancelSelect() throws IOException {
            SelectionKey key = channel.register(selector, SelectionKey.OP_READ);
            int selected = selector.selectNow();
            key.cancel();
            return equal(0, selected + selector.selectNow());
        }
    }

    /** The life of a selector with many channels: whether ten times as many take more than ten times as long. */
    public static class RegisterMany extends Setting {
        /** How many channels are registered. */
        @Param({"1000", "10000"})
        public int size;

        @Override
        void prepare() throws IOException {
            for (int i = 0; i < size; i++) {
                sockets.connectIdle();
            }
        }

        @Benchmark
        public int registerSelectClose() throws IOException {
            try (Selector opened = sockets.provider.openSelector()) {
                for (SocketChannel channel : sockets.idle) {
                    channel.register(opened, SelectionKey.OP_READ);
                }
                return equal(0, opened.selectNow());
            }
        }
    }

    /**
     * A byte that runs round a ring of pipes. Each reading end is always watched, a writing end only while there is a
     * byte for it. However many pipes there are, one end is ready.
     */
    public static class Ring extends Setting {
        /** How many pipes there are. */
        @Param({"8", "8000"})
        public int size;

        private final ByteBuffer one = ByteBuffer.allocateDirect(1);
        private Pipe[] pipes;
        private Waiter.Interest[] sinks;
        private Waiter waiter;
        private int at;

        @Override
        boolean knowsPoller() {
            return true;
        }

        @Override
        void prepare() throws IOException {
            waiter = Waiter.of(provider);
            pipes = new Pipe[size];
            sinks = new Waiter.Interest[size];
            for (int i = 0; i < size; i++) {
                pipes[i] = sockets.provider.openPipe();
                pipes[i].source().configureBlocking(false);
                pipes[i].sink().configureBlocking(false);
                waiter.add(pipes[i].source(), SelectionKey.OP_READ);
                sinks[i] = waiter.add(pipes[i].sink(), 0);
            }
            sinks[at].set(SelectionKey.OP_WRITE);
        }

        /** The byte gets into a pipe and out of it. */
        @Benchmark
        public int passOn() throws IOException {
            equal(1, waiter.await());
            equal(1, pipes[at].sink().write(one.clear()));
            sinks[at].set(0);
            equal(1, waiter.await());
            equal(1, pipes[at].source().read(one.clear()));
            at = (at + 1) % size;
            sinks[at].set(SelectionKey.OP_WRITE);
            return at;
        }

        @Override
        void end() throws IOException {
            waiter.close();
            for (Pipe pipe : pipes) {
                pipe.source().close();
                pipe.sink().close();
            }
        }
    }

    /**
     * A key set with the behaviour of the one that Netty injects: appends without looking for
     * duplicates, never removes, searches linearly, and is emptied by its owner after each loop.
     * Not thread-safe. Allocates only when it grows.
     */
    static final class ArrayKeySet extends AbstractSet<SelectionKey> {
        private SelectionKey[] keys = new SelectionKey[1024];
        private int size;

        SelectionKey get(int index) {
            return keys[index];
        }

        void reset() {
            Arrays.fill(keys, 0, size, null);
            size = 0;
        }

        @Override
        public boolean add(SelectionKey key) {
            if (size == keys.length) {
                keys = Arrays.copyOf(keys, 2 * size);
            }
            keys[size++] = key;
            return true;
        }

        @Override
        public boolean remove(Object key) {
            return false;
        }

        @Override
        public Iterator<SelectionKey> iterator() {
            return Arrays.asList(keys).subList(0, size).iterator();
        }

        @Override
        public int size() {
            return size;
        }
    }
}
