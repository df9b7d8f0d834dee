// SPDX-License-Identifier: Apache-2.0
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Users of HTTP servers whose every answer ends with "Hello World": some are in a hurry, some are slow, some leave in
 * the middle. In the last tenth of the time those who keep their connections make no pauses. Arguments: seconds, ports.
 * Prints for each port how many answers came, and how many things went wrong.
 */
public final class Users {
    private static final byte[] REQUEST =
            "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] END = "Hello World".getBytes(StandardCharsets.US_ASCII);
    private static final int PIPELINED = 10;
    private static final int MANY = 2000;
    private static final int IDLE = 50;

    private final int port;
    private final long fullSpeed;
    private final long end;
    private final AtomicLong answers = new AtomicLong();
    private final AtomicLong wrong = new AtomicLong();
    private final List<Thread> threads = new ArrayList<>();

    private Users(int port, long fullSpeed, long end) {
        this.port = port;
        this.fullSpeed = fullSpeed;
        this.end = end;
    }

    /** What a user does again and again, each time on a connection of his own. */
    private interface Visit {
        void on(Socket socket) throws IOException, InterruptedException;
    }

    public static void main(String[] arguments) throws Exception {
        long time = Long.parseLong(arguments[0]) * 1_000_000_000L;
        long end = System.nanoTime() + time;
        List<Users> all = new ArrayList<>();
        for (int i = 1; i < arguments.length; i++) {
            all.add(new Users(Integer.parseInt(arguments[i]), end - time / 10, end).start());
        }
        boolean fine = true;
        for (Users users : all) {
            for (Thread thread : users.threads) {
                thread.join();
            }
            System.out.println("port " + users.port + ": " + users.answers + " answers, " + users.wrong + " wrong");
            fine &= users.wrong.get() == 0 && users.answers.get() > 0;
        }
        System.exit(fine ? 0 : 1);
    }

    private Users start() {
        for (int i = 0; i < 4; i++) {
            add("keeps his connection", 0, socket -> {
                for (int n = 0; n < 1000 && System.nanoTime() < end; n++) {
                    ask(socket, 1);
                    Thread.sleep(System.nanoTime() < fullSpeed ? 10 : 0);
                }
            });
        }
        add("comes and goes", 20, socket -> ask(socket, 1));
        add("does not wait for answers", 50, socket -> ask(socket, PIPELINED));
        add("half-closes", 50, socket -> {
            ask(socket, 1);
            socket.shutdownOutput();
            while (socket.getInputStream().read() >= 0) {
                Thread.onSpinWait();
            }
        });
        add("resets", 50, socket -> {
            ask(socket, 1);
            socket.setSoLinger(true, 0);
        });
        add("writes slowly", 20, socket -> {
            for (byte b : REQUEST) {
                socket.getOutputStream().write(b);
                Thread.sleep(20);
            }
            read(socket.getInputStream());
        });
        add("reads slowly", 50, this::askForMuchAndReadSlowly);
        add("is idle", 0, socket -> {
            List<Socket> idle = new ArrayList<>();
            for (int i = 0; i < IDLE; i++) {
                idle.add(connect());
            }
            Thread.sleep(20_000);
            for (Socket each : idle) {
                each.close();
            }
        });
        return this;
    }

    private void add(String name, long pause, Visit visit) {
        Thread thread = new Thread(() -> {
            while (System.nanoTime() < end) {
                try (Socket socket = connect()) {
                    visit.on(socket);
                    Thread.sleep(pause);
                } catch (IOException e) {
                    wrong.incrementAndGet();
                    System.out.println("port " + port + ": who " + name + " got " + e);
                } catch (InterruptedException e) {
                    return;
                }
            }
        }, name);
        thread.start();
        threads.add(thread);
    }

    private Socket connect() throws IOException {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
        socket.setTcpNoDelay(true);
        socket.setSoTimeout(60_000);
        return socket;
    }

    private void ask(Socket socket, int requests) throws IOException {
        OutputStream out = socket.getOutputStream();
        byte[] all = new byte[requests * REQUEST.length];
        for (int i = 0; i < requests; i++) {
            System.arraycopy(REQUEST, 0, all, i * REQUEST.length, REQUEST.length);
        }
        out.write(all);
        for (int i = 0; i < requests; i++) {
            read(socket.getInputStream());
        }
    }

    /** The server can't write for a while, and may stop to read. */
    private void askForMuchAndReadSlowly(Socket socket) throws IOException, InterruptedException {
        socket.setReceiveBufferSize(4096);
        Thread writer = new Thread(() -> {
            try {
                for (int i = 0; i < MANY; i++) {
                    socket.getOutputStream().write(REQUEST);
                }
            } catch (IOException e) {
                wrong.incrementAndGet();
            }
        });
        writer.start();
        for (int i = 0; i < MANY; i++) {
            read(socket.getInputStream());
            if (i % 20 == 0) {
                Thread.sleep(10);
            }
        }
        writer.join();
    }

    private void read(InputStream in) throws IOException {
        int matched = 0;
        while (matched < END.length) {
            int b = in.read();
            if (b < 0) {
                throw new IOException("the stream ended before the answer did");
            }
            matched = b == END[matched] ? matched + 1 : b == END[0] ? 1 : 0;
        }
        answers.incrementAndGet();
    }
}
