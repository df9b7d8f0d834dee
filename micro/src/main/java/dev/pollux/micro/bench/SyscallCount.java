// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.bench;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;

/**
 * Repeats one operation so often, for a tracer to count its system calls: {@code PROVIDER OPERATION TIMES}.
 * What two runs of different length differ by belongs to the operation, the rest to the start.
 */
public final class SyscallCount {
    private interface Operation {
        void run() throws IOException;
    }

    private SyscallCount() {
    }

    /** Sets up the operation and repeats it. */
    public static void main(String[] args) throws IOException {
        try (Sockets sockets = new Sockets(args[0])) {
            Operation operation = operation(args[1], sockets);
            for (int left = Integer.parseInt(args[2]); left > 0; left--) {
                operation.run();
            }
        }
    }

    private static Operation operation(String name, Sockets sockets) throws IOException {
        Selector selector = sockets.selector;
        return switch (name) {
            case "wakeup-select" -> () -> Setting.equal(0, selector.wakeup().select());
            case "select-one" -> selectOne(sockets);
            case "off-select-on-select" -> toggle(sockets, true);
            case "off-on-select" -> toggle(sockets, false);
            default -> throw new IllegalArgumentException(name);
        };
    }

    /** One ready channel of two. It is written to: Pollux would warn of a ready channel that nobody uses. */
    private static Operation selectOne(Sockets sockets) throws IOException {
        Selector selector = sockets.register(1, 0, SelectionKey.OP_READ).register(1, 0, SelectionKey.OP_WRITE).selector;
        SocketChannel writable = sockets.idle.get(1);
        ByteBuffer one = ByteBuffer.allocateDirect(1);
        return () -> {
            Setting.equal(1, selector.select(key -> { }));
            Setting.equal(1, writable.write(one.clear()));
        };
    }

    /** Read interest taken away and given back, around selections that find nothing. */
    private static Operation toggle(Sockets sockets, boolean selectBetween) throws IOException {
        Selector selector = sockets.register(1, 0, SelectionKey.OP_READ).selector;
        SelectionKey key = sockets.idleKey();
        return () -> {
            key.interestOps(0);
            if (selectBetween) {
                Setting.equal(0, selector.selectNow());
            }
            key.interestOps(SelectionKey.OP_READ);
            Setting.equal(0, selector.selectNow());
        };
    }
}
