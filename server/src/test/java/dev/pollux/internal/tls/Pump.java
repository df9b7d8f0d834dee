// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.tls;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.function.IntUnaryOperator;
import javax.net.ssl.SSLException;

/**
 * Has a TlsStream served as a loop would: what arrives is shown to it in pieces, in memory that is gone after the call.
 */
final class Pump {
    private final TlsStream stream;
    private final SocketChannel channel;
    private final BufferPool pool;
    private final ByteBuffer arrived = ByteBuffer.allocateDirect(1 << 15);
    private final ByteBuffer shown = ByteBuffer.allocateDirect(1 << 15);

    /** From what has arrived to what of it is shown at once. */
    IntUnaryOperator split = arrived -> arrived;

    /** What is done with plaintext; by default it is sent back. */
    Handler handler;

    boolean isReadOnly;

    /** Whether tasks of the handshake run on another thread, while the stream goes on receiving. */
    boolean runsTasksElsewhere;

    /** How often receiving has made something to be sent, after the handshake. */
    int answers;

    /** Reads plaintext. */
    interface Handler {
        void handle(ByteBuffer plaintext) throws IOException;
    }

    Pump(TlsLab lab) {
        stream = lab.stream;
        channel = lab.channel;
        pool = lab.pool;
        handler = stream::send;
    }

    /** Until the connection ends. */
    Void run() throws Exception {
        while (channel.read(arrived.clear()) >= 0) {
            arrived.flip();
            while (arrived.hasRemaining()) {
                feed(Math.max(1, split.applyAsInt(arrived.remaining())));
            }
            if (stream.isEnded()) {
                return null;
            }
        }
        stream.receiveEnd();
        return null;
    }

    private void feed(int length) throws Exception {
        shown.clear();
        for (int i = 0; i < length; i++) {
            shown.put(arrived.get());
        }
        shown.flip();
        receive(isReadOnly ? shown.asReadOnlyBuffer() : shown);
        for (int i = 0; i < length; i++) {
            shown.put(i, (byte) -1);
        }
        for (Runnable task = stream.nextTask(); task != null; task = stream.nextTask()) {
            run(task);
            receive(TlsStream.NOTHING);
        }
    }

    private void run(Runnable task) throws Exception {
        if (!runsTasksElsewhere) {
            task.run();
            return;
        }
        Thread thread = new Thread(task);
        thread.start();
        while (thread.isAlive()) {
            receive(TlsStream.NOTHING);
            Thread.sleep(1);
        }
    }

    /** Has a stream receive bytes and run the tasks that they cause. */
    static void receive(TlsStream to, ByteBuffer bytes) throws SSLException {
        to.receive(bytes, Integer.MAX_VALUE);
        for (Runnable task = to.nextTask(); task != null; task = to.nextTask()) {
            task.run();
            to.receive(TlsStream.NOTHING, Integer.MAX_VALUE);
        }
    }

    void receive(ByteBuffer ciphertext) throws IOException {
        boolean isEstablished = stream.isEstablished();
        boolean goesOn = true;
        for (ByteBuffer next = ciphertext; goesOn; next = TlsStream.NOTHING) {
            try {
                goesOn = stream.receive(next, stream.received().remaining());
            } finally {
                answers += isEstablished && stream.outgoing() > 0 ? 1 : 0;
                send();
            }
            if (stream.received().hasRemaining()) {
                handler.handle(stream.received());
            }
            stream.trim();
            send();
        }
    }

    void send() throws IOException {
        ByteBuffer outgoing = stream.takeOutgoing();
        while (outgoing != null && outgoing.hasRemaining()) {
            channel.write(outgoing);
        }
        pool.giveBack(outgoing);
    }
}
