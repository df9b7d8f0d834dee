// SPDX-License-Identifier: Apache-2.0
package dev.pollux.server;

import dev.pollux.internal.tls.BufferPool;
import dev.pollux.internal.tls.TlsChannel;
import dev.pollux.internal.tls.TlsStream;
import dev.pollux.server.ServerErrorHandler.Place;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import javax.net.ssl.SSLException;

/**
 * Gives connections that handlers decline to the slow path, as channels. For any thread. Allocation: for each of them.
 */
final class HandOvers {
    private final ServerSettings settings;
    private final SocketChannels channels;
    private final BufferPool buffers = new BufferPool();

    HandOvers(ServerSettings settings, SocketChannels channels) {
        this.settings = settings;
        this.channels = channels;
    }

    /** What the slow path has for TLS is taken from here. */
    BufferPool buffers() {
        return buffers;
    }

    /** The descriptor is this object's now. What fails ends the connection, and is told. */
    void handOver(int descriptor, byte[] unread, TlsStream tls) {
        SocketChannel channel = null;
        try {
            channel = channels.of(descriptor);
            SocketChannel plain = tls == null ? channel : new TlsChannel(channel, tls);
            byte[] rest = tls == null ? unread : decrypt(tls, unread);
            settings.executor.execute(() -> goOn(plain, rest));
        } catch (Throwable e) {
            abandon(channel, e);
        } finally {
            Thread.interrupted(); // of the slow path or its executor, which may have run here
        }
    }

    /** What was received of a secure connection, as far as it is complete. */
    private static byte[] decrypt(TlsStream tls, byte[] unread) throws SSLException {
        tls.receive(ByteBuffer.wrap(unread), tls.received().remaining());
        byte[] decrypted = new byte[tls.received().remaining()];
        tls.received().get(decrypted);
        tls.trim();
        return decrypted;
    }

    private void goOn(SocketChannel channel, byte[] unread) {
        try {
            settings.slowPath.handle(channel, ByteBuffer.wrap(unread));
        } catch (Throwable e) {
            abandon(channel, e);
        }
    }

    /** Ends a connection; null: it has no channel, since it was reset meanwhile, mostly, and its socket is closed. */
    private void abandon(SocketChannel channel, Throwable error) {
        SocketAddress peer = null;
        try (channel) {
            peer = channel == null ? null : peerOf(channel);
        } catch (IOException e) {
            error.addSuppressed(e);
        }
        boolean isReset = channel == null && error instanceof IOException;
        settings.errors.handle(isReset ? Place.CONNECTION : Place.SLOW_PATH, error, peer);
    }

    /** The other side's address, as error handlers get it. */
    static SocketAddress peerOf(SocketChannel channel) {
        try {
            return channel.getRemoteAddress() instanceof InetSocketAddress peer ? peer : null;
        } catch (IOException e) {
            return null; // it is closed already
        }
    }
}
