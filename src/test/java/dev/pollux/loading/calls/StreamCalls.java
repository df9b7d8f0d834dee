// SPDX-License-Identifier: Apache-2.0
package dev.pollux.loading.calls;

import static dev.pollux.loading.calls.Transcript.write;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.nio.channels.SocketChannel;
import java.util.Arrays;

/** Reads and writes of stream channels, without another thread: of TCP, of the Unix domain, of pipes. */
public final class StreamCalls {
    private static final int MORE_THAN_IOV_MAX = 2000;

    private StreamCalls() {
    }

    /** Takes {@code tcp}, {@code unix} or {@code pipe}. */
    public static void main(String[] arguments) throws Exception {
        Transcript.start();
        if (arguments[0].equals("pipe")) {
            pipe(false);
            pipe(true);
            return;
        }
        boolean unix = arguments[0].equals("unix");
        for (boolean blocking : new boolean[] {true, false}) {
            System.out.println("blocking " + blocking);
            transfers(unix, blocking);
            ends(unix, blocking);
            if (!unix) { // there is no SO_LINGER, and no reset
                resets(blocking);
            }
            closed(unix, blocking);
        }
        full(unix);
    }

    private static void transfers(boolean unix, boolean blocking) throws Exception {
        try (Ends.Channels ends = Ends.channels(unix)) {
            SocketChannel near = ends.near();
            SocketChannel far = ends.far();
            near.configureBlocking(blocking);
            far.configureBlocking(blocking);
            for (int size : new int[] {0, 1, 5, 8192, 20_000}) {
                for (boolean direct : new boolean[] {true, false}) {
                    String what = size + (direct ? " direct" : " heap");
                    write("write " + what, () -> near.write(bytes(size, direct)));
                    awaitUnless(size == 0 && blocking, far, size);
                    write("read " + what, () -> read(far, size, direct));
                }
            }
            write("read into no room", () -> far.read(ByteBuffer.allocate(0)));
            if (!blocking) {
                write("read nothing", () -> far.read(ByteBuffer.allocate(10)));
                write("scatter nothing", () -> far.read(slices(3, 5)));
            }
            for (int count : new int[] {0, 1, 3, 1024, MORE_THAN_IOV_MAX}) {
                gather(near, far, count);
            }
        }
    }

    /** Data have come before they are asked for, so that all VMs find the same. */
    private static void awaitUnless(boolean nothing, SocketChannel far, int size) throws IOException {
        if (!nothing && size > 0) {
            Ends.awaitReadable(far);
        }
    }

    private static String read(SocketChannel far, int size, boolean direct) throws IOException {
        if (size == 0 && far.isBlocking()) {
            return "not asked for, since it would block";
        }
        ByteBuffer buffer = direct ? ByteBuffer.allocateDirect(size + 7) : ByteBuffer.allocate(size + 7);
        int sum = 0;
        int n = 0;
        do {
            n = far.read(buffer);
            sum += Math.max(0, n);
        } while (sum < size && n >= 0);
        return sum + ", " + hash(buffer.flip());
    }

    private static void gather(SocketChannel near, SocketChannel far, int count) throws IOException {
        ByteBuffer[] sources = slices(count, 3);
        for (int i = 0; i < count; i++) {
            sources[i].put(0, (byte) i);
        }
        write("gather " + count, () -> near.write(sources));
        int written = Arrays.stream(sources).mapToInt(ByteBuffer::position).sum();
        write("gather " + count + " moved on", () -> written);
        if (written > 0) {
            Ends.awaitReadable(far);
            ByteBuffer[] targets = slices(Math.min(count, 1024), 3);
            write("scatter " + count, () -> far.read(targets));
            write("scatter " + count + " got", () -> hash(targets[0].flip()));
            write("left of " + count, () -> Ends.drain(far,
                    written - Arrays.stream(targets).mapToInt(ByteBuffer::position).sum() - targets[0].limit()));
        }
        write("gather " + count + " with an offset", () -> near.write(slices(count + 3, 2), 1, 2));
        write("its bytes", () -> Ends.drain(far, 4));
    }

    private static void ends(boolean unix, boolean blocking) throws Exception {
        try (Ends.Channels ends = Ends.channels(unix)) {
            ends.near().configureBlocking(blocking);
            ends.far().shutdownOutput();
            Ends.awaitReadable(ends.near());
            write("read at the end", () -> ends.near().read(ByteBuffer.allocateDirect(9)));
            write("read into no room at the end", () -> ends.near().read(ByteBuffer.allocateDirect(0)));
            write("scatter at the end", () -> ends.near().read(slices(2, 2)));
            ends.near().shutdownOutput();
            write("write after shutdown", () -> ends.near().write(bytes(3, true)));
            ends.near().shutdownInput();
            write("read after shutdown", () -> ends.near().read(ByteBuffer.allocate(3)));
        }
        try (Ends.Channels ends = Ends.channels(unix)) {
            ends.near().configureBlocking(blocking);
            ends.far().close();
            Ends.awaitReadable(ends.near());
            write("write to a closed peer", () -> ends.near().write(bytes(3, true)));
            Thread.sleep(20); // the kernel sends the reset at once, but may take it in a moment later
            for (int i = 0; i < 2; i++) {
                write("write again", () -> ends.near().write(bytes(3, true)));
                write("gather again", () -> ends.near().write(slices(3, 3)));
                write("read", () -> ends.near().read(bytes(3, true)));
            }
        }
    }

    private static void resets(boolean blocking) throws Exception {
        for (int kind = 0; kind < 4; kind++) {
            try (Ends.Channels ends = Ends.channels(false)) {
                ends.near().configureBlocking(blocking);
                ends.near().write(bytes(10, true));
                Ends.reset(ends.far());
                Ends.awaitReadable(ends.near());
                for (int i = 0; i < 3; i++) {
                    int which = (kind + i) % 4;
                    write("after a reset, " + kind + ", " + i, () -> transfer(ends.near(), which));
                }
            }
        }
    }

    private static long transfer(SocketChannel channel, int kind) throws IOException {
        switch (kind) {
            case 0:
                return channel.read(bytes(5, true));
            case 1:
                return channel.read(slices(2, 5));
            case 2:
                return channel.write(bytes(5, true));
            default:
                return channel.write(slices(2, 5));
        }
    }

    private static void closed(boolean unix, boolean blocking) throws Exception {
        Ends.Channels ends = Ends.channels(unix);
        ends.near().configureBlocking(blocking);
        ends.close();
        for (int kind = 0; kind < 4; kind++) {
            int which = kind;
            write("closed, " + kind, () -> transfer(ends.near(), which));
        }
    }

    private static void full(boolean unix) throws Exception {
        try (Ends.Channels ends = Ends.channels(unix)) {
            long sum = Ends.fill(ends.near());
            write("write to a full socket", () -> ends.near().write(bytes(1, true)));
            write("gather to a full socket", () -> ends.near().write(slices(3, 1)));
            write("all arrives", () -> Ends.drain(ends.far(), sum) == sum);
        }
    }

    private static void pipe(boolean blocking) throws Exception {
        Pipe pipe = Pipe.open();
        pipe.source().configureBlocking(blocking);
        pipe.sink().configureBlocking(blocking);
        for (int size : new int[] {0, 1, 4096, 60_000}) {
            write("pipe write " + size, () -> pipe.sink().write(bytes(size, true)));
            if (size > 0 || !blocking) {
                ByteBuffer target = ByteBuffer.allocate(size + 9);
                write("pipe read " + size, () -> pipe.source().read(target));
                write("pipe read got", () -> hash(target.flip()));
            }
        }
        write("pipe gather", () -> pipe.sink().write(slices(1500, 2)));
        write("pipe scatter", () -> pipe.source().read(slices(1500, 1)));
        write("pipe scatter more", () -> pipe.source().read(slices(1500, 1)));
        if (!blocking) {
            int written;
            do {
                written = pipe.sink().write(bytes(4096, true));
            } while (written > 0);
            write("pipe write when full", () -> pipe.sink().write(bytes(1, true)));
            write("pipe gather when full", () -> pipe.sink().write(slices(2, 1)));
        }
        pipe.source().close();
        write("pipe write without a reader", () -> pipe.sink().write(bytes(1, true)));
        write("pipe gather without a reader", () -> pipe.sink().write(slices(2, 1)));
        write("pipe read when closed", () -> pipe.source().read(bytes(1, true)));
        pipe.sink().close();
        Pipe second = Pipe.open();
        second.sink().close();
        write("pipe read at the end", () -> second.source().read(bytes(1, true)));
        write("pipe scatter at the end", () -> second.source().read(slices(2, 1)));
    }

    private static ByteBuffer bytes(int size, boolean direct) {
        ByteBuffer buffer = direct ? ByteBuffer.allocateDirect(size) : ByteBuffer.allocate(size);
        for (int i = 0; i < size; i++) {
            buffer.put(i, (byte) (i * 31 + size));
        }
        return buffer;
    }

    private static ByteBuffer[] slices(int count, int size) {
        ByteBuffer[] slices = new ByteBuffer[count];
        for (int i = 0; i < count; i++) {
            slices[i] = bytes(size, i % 2 == 0);
        }
        return slices;
    }

    private static String hash(ByteBuffer buffer) {
        return buffer.remaining() + " bytes, hash " + buffer.hashCode();
    }
}
