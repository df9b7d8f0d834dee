// SPDX-License-Identifier: Apache-2.0
package dev.pollux.loading.batch;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * Sends back what it gets, on a thread for each connection. Bytes that begin with an R are answered by a reset, what
 * comes after some that begin with an S is read slowly, and not answered.
 */
public final class EchoServer implements AutoCloseable {
    private final ServerSocket listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    private final List<Thread> threads = new ArrayList<>();
    private final AtomicLong received = new AtomicLong();

    public EchoServer() throws IOException {
        start(this::accept);
    }

    public int port() {
        return listener.getLocalPort();
    }

    /** Waits until all connections have ended: the bytes that came. */
    public long received() throws InterruptedException, IOException {
        listener.close();
        for (int i = 0; i < size(); i++) {
            thread(i).join();
        }
        return received.get();
    }

    private synchronized int size() {
        return threads.size();
    }

    private synchronized Thread thread(int i) {
        return threads.get(i);
    }

    private synchronized void start(Runnable work) {
        Thread thread = new Thread(work);
        thread.setDaemon(true);
        threads.add(thread);
        thread.start();
    }

    private void accept() {
        while (true) {
            try {
                Socket socket = listener.accept();
                start(() -> echo(socket));
            } catch (IOException closed) {
                return;
            }
        }
    }

    private void echo(Socket socket) {
        byte[] bytes = new byte[10_000];
        try (socket) {
            socket.setTcpNoDelay(true);
            InputStream in = socket.getInputStream();
            OutputStream out = socket.getOutputStream();
            for (int n = in.read(bytes); n > 0; n = in.read(bytes)) {
                received.addAndGet(n);
                if (bytes[0] == 'R') {
                    socket.setSoLinger(true, 0);
                    return;
                }
                if (bytes[0] == 'S') {
                    readSlowly(in);
                    return;
                }
                out.write(bytes, 0, n);
            }
        } catch (IOException gone) {
            // the program has ended, and left something unread
            return;
        }
    }

    private void readSlowly(InputStream in) throws IOException {
        byte[] bytes = new byte[100_000];
        for (int n = in.read(bytes); n > 0; n = in.read(bytes)) {
            received.addAndGet(n);
            LockSupport.parkNanos(10_000_000);
        }
    }

    @Override
    public void close() throws IOException {
        listener.close();
    }
}
