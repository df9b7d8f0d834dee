// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.apps;

import dev.pollux.micro.apps.server.Hello;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;

/** A connection with at most one request outstanding. One thread may send while another receives and checks. */
final class Connection implements AutoCloseable {
    private static final byte[] REQUEST = "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nUser-Agent: load\r\nAccept: */*\r\n\r\n"
            .getBytes(StandardCharsets.US_ASCII);
    private static final String LENGTH = "\r\ncontent-length:";

    private final SocketChannel channel;
    private final ByteBuffer request = ByteBuffer.allocateDirect(REQUEST.length).put(REQUEST).flip();
    private final ByteBuffer response = ByteBuffer.allocateDirect(2048);
    private final byte[] copy = new byte[response.capacity()];
    private volatile long sent;

    Connection(int port, Selector selector) throws IOException {
        channel = SocketChannel.open(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        channel.configureBlocking(false);
        channel.register(selector, SelectionKey.OP_READ, this);
    }

    void send() throws IOException {
        sent = System.nanoTime();
        request.rewind();
        channel.write(request);
        if (request.hasRemaining()) {
            throw new IOException("a socket's buffer takes no request");
        }
    }

    /** Reads what is there. Nanoseconds since the request was sent once the response is complete, -1 before. */
    long receive() throws IOException {
        if (channel.read(response) < 0) {
            throw new EOFException("the server closed a connection, after: " + text());
        }
        String text = text();
        int end = text.indexOf("\r\n\r\n");
        if (end < 0 || text.length() < end + 4 + length(text, end)) {
            return -1;
        }
        long took = System.nanoTime() - sent;
        if (!text.startsWith("HTTP/1.1 200 ") || !text.substring(end + 4).equals(Hello.BODY)) {
            throw new IOException("a wrong response: " + text);
        }
        response.clear();
        return took;
    }

    private String text() {
        response.get(0, copy, 0, response.position());
        return new String(copy, 0, response.position(), StandardCharsets.ISO_8859_1);
    }

    private static int length(String text, int end) throws IOException {
        for (int i = 0; i < end; i++) {
            if (text.charAt(i) == '\r' && text.regionMatches(true, i, LENGTH, 0, LENGTH.length())) {
                int from = i + LENGTH.length();
                return Integer.parseInt(text.substring(from, text.indexOf('\r', from)).trim());
            }
        }
        throw new IOException("a response without a length: " + text);
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
