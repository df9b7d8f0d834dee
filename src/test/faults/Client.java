// SPDX-License-Identifier: Apache-2.0
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;

/** One connection, and what became of it. Not thread-safe. */
final class Client implements AutoCloseable {
    /** What became of a connection: OPEN ones have had all their answers so far. */
    enum Fate { OPEN, CLOSED, HUNG }

    private static final byte[] REQUEST =
            "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
    private static final String BODY = "Hello World";

    private final Socket socket = new Socket();
    private Fate fate = Fate.OPEN;

    Client(int port) throws IOException {
        socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 30_000);
        socket.setTcpNoDelay(true);
    }

    int port() {
        return socket.getLocalPort();
    }

    Fate fate() {
        return fate;
    }

    void send() {
        if (fate == Fate.OPEN) {
            try {
                socket.getOutputStream().write(REQUEST);
            } catch (IOException e) {
                fate = Fate.CLOSED;
            }
        }
    }

    /** Reads one answer; what is not there at the deadline is taken for one that never comes. */
    void receive(long deadline) {
        if (fate == Fate.OPEN) {
            try {
                readAnswer(deadline);
            } catch (SocketTimeoutException e) {
                fate = Fate.HUNG;
            } catch (IOException e) {
                fate = Fate.CLOSED;
            }
        }
    }

    private void readAnswer(long deadline) throws IOException {
        InputStream in = socket.getInputStream();
        byte[] bytes = new byte[2048];
        int n = 0;
        while (!new String(bytes, 0, n, StandardCharsets.US_ASCII).endsWith("\r\n\r\n" + BODY)) {
            socket.setSoTimeout((int) Math.max(1, (deadline - System.nanoTime()) / 1_000_000));
            int more = in.read(bytes, n, bytes.length - n);
            if (more <= 0) {
                throw new IOException("end of stream, or a wrong answer");
            }
            n += more;
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
