// SPDX-License-Identifier: Apache-2.0
import dev.pollux.server.CloseReason;
import dev.pollux.server.Connection;
import dev.pollux.server.ConnectionHandler;
import dev.pollux.server.Exchange;
import dev.pollux.server.Reply;
import dev.pollux.server.StreamServer;
import dev.pollux.server.StreamServerBuilder;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;

/**
 * Two StreamServers, one with TLS, are attacked in each way that the list of attacks has. Some connections of each
 * behave, and have every byte checked. In the end the servers are closed with all in full swing, and others take their
 * place. Takes the mechanism, the number of servers one after the other, and that of requests of each good connection.
 */
public final class Connections {
    private static final int LOOPS = 2, GOOD = 5, LONGEST = 20_000, MAX_PENDING = 1 << 16;

    private static final AtomicLong OPENED = new AtomicLong();
    private static final ExecutorService OTHERS = Executors.newCachedThreadPool(work -> {
        Thread thread = new Thread(work);
        thread.setDaemon(true);
        return thread;
    });

    private final StreamServer plain;
    private final StreamServer secure;
    private final ServerSocketChannel elsewhere = ServerSocketChannel.open().bind(loopback());
    private volatile boolean ends;

    private Connections(String mechanism) throws Exception {
        plain = builder(mechanism).start();
        secure = builder(mechanism).tls(() -> engine(false), OTHERS).start();
    }

    private static InetSocketAddress loopback() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    }

    private static SSLEngine engine(boolean isClient) {
        try {
            SSLEngine engine = SSLContext.getDefault().createSSLEngine();
            engine.setUseClientMode(isClient);
            return engine;
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    private StreamServerBuilder builder(String mechanism) {
        return StreamServer.at(loopback(), Echo::new).mechanism(mechanism).loops(LOOPS).maxPending(MAX_PENDING)
                .slowPath(this::serveSlowly, OTHERS).onError((place, error, peer) -> { });
    }

    /** Sends back what comes, unless it begins with a command. */
    private static final class Echo implements ConnectionHandler {
        @Override
        public void onData(ByteBuffer data, Exchange exchange) {
            switch (data.get(0)) {
                case 'a' -> exchange.connection().abort();
                case 'c' -> exchange.close();
                case 'h' -> exchange.handOver();
                case 'd' -> {
                    ByteBuffer copy = ByteBuffer.allocate(data.remaining()).put(data.duplicate()).flip();
                    Reply reply = exchange.defer();
                    OTHERS.execute(() -> reply.send(copy));
                }
                default -> exchange.send(data.duplicate());
            }
            data.position(data.limit());
        }
    }

    /** Comes back to the server. */
    private void serveSlowly(SocketChannel channel, ByteBuffer unread) throws IOException {
        ByteBuffer rest = unread.duplicate();
        while (rest.hasRemaining()) {
            channel.write(rest);
        }
        if (channel.getClass().getName().startsWith("sun.")) {
            plain.adopt(channel, ByteBuffer.allocate(0));
        } else {
            channel.close(); // that of TLS is no socket's
        }
    }

    /** What a connection does until it has ended, or the server. */
    private interface Attack {
        void run(Random random) throws Exception;
    }

    private List<Attack> attacks() {
        return List.of(this::visit, this::reset, this::readSlowly, this::shutHalf, this::handOver, this::floodTls,
                this::breakHandshakes, this::adopt, this::connect, this::command);
    }

    private Socket open(StreamServer server) throws IOException {
        InetSocketAddress address = (InetSocketAddress) server.address();
        OPENED.incrementAndGet();
        Socket socket = new Socket(address.getAddress(), address.getPort());
        socket.setTcpNoDelay(true);
        return socket;
    }

    private Socket openSecurely() throws Exception {
        Socket tcp = open(secure);
        return SSLContext.getDefault().getSocketFactory().createSocket(tcp, "localhost", tcp.getPort(), true);
    }

    private Socket openAny(Random random) throws Exception {
        return random.nextInt(4) == 0 ? openSecurely() : open(plain);
    }

    /** None of them is a command, wherever it comes to be the first of what a call has. */
    private static byte[] bytes(Random random, int most) {
        byte[] bytes = new byte[1 + random.nextInt(most)];
        random.nextBytes(bytes);
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] |= Byte.MIN_VALUE;
        }
        return bytes;
    }

    /** Leaves without having read. */
    private void visit(Random random) throws Exception {
        try (Socket socket = openAny(random)) {
            socket.getOutputStream().write(bytes(random, 300));
        }
    }

    private void reset(Random random) throws Exception {
        try (Socket socket = openAny(random)) {
            socket.getOutputStream().write(bytes(random, LONGEST));
            socket.setSoLinger(true, 0);
        }
    }

    /** More comes back than it may have pending. */
    private void readSlowly(Random random) throws Exception {
        try (Socket socket = openAny(random)) {
            socket.setReceiveBufferSize(4096);
            OTHERS.execute(() -> sendMuch(socket, new Random(1)));
            for (int i = random.nextInt(100); i >= 0 && !ends; i--) {
                socket.getInputStream().readNBytes(1000);
                Thread.sleep(1);
            }
            socket.setSoLinger(random.nextBoolean(), 0);
        }
    }

    private static void sendMuch(Socket socket, Random random) {
        try {
            for (int i = 0; i < 50; i++) {
                socket.getOutputStream().write(bytes(random, LONGEST));
            }
        } catch (IOException e) {
            return; // the reader has had enough
        }
    }

    private void shutHalf(Random random) throws Exception {
        try (Socket socket = openAny(random)) {
            socket.getOutputStream().write(bytes(random, LONGEST));
            socket.shutdownOutput();
            socket.getInputStream().readNBytes(random.nextBoolean() ? 1 : LONGEST);
        }
    }

    /** To the slow path, and is reset meanwhile, or asks for more. */
    private void handOver(Random random) throws Exception {
        try (Socket socket = openAny(random)) {
            OutputStream out = socket.getOutputStream();
            byte[] request = bytes(random, 1000);
            request[0] = 'h';
            out.write(request);
            if (random.nextBoolean()) {
                socket.setSoLinger(true, 0);
            } else {
                out.write(bytes(random, LONGEST));
                socket.getInputStream().readNBytes(random.nextInt(LONGEST));
            }
        }
    }

    private void floodTls(Random random) throws Exception {
        try (Socket socket = open(secure)) {
            byte[] record = new byte[5 + random.nextInt(2000)];
            random.nextBytes(record);
            record[0] = (byte) (20 + random.nextInt(4));
            record[1] = 3;
            for (int i = random.nextInt(100); i >= 0; i--) {
                socket.getOutputStream().write(record);
            }
        }
    }

    /** Some end while a task of the engine is out. */
    private void breakHandshakes(Random random) throws Exception {
        SSLEngine engine = engine(true);
        ByteBuffer hello = ByteBuffer.allocate(engine.getSession().getPacketBufferSize());
        engine.wrap(ByteBuffer.allocate(0), hello);
        try (Socket socket = open(secure)) {
            socket.getOutputStream().write(hello.array(), 0, hello.position());
            if (random.nextBoolean()) {
                socket.getOutputStream().write(bytes(random, LONGEST));
            }
            socket.setSoLinger(random.nextBoolean(), 0);
            socket.getInputStream().readNBytes(random.nextInt(2));
        }
    }

    private void adopt(Random random) throws Exception {
        try (SocketChannel near = SocketChannel.open(elsewhere.getLocalAddress())) {
            SocketChannel far = elsewhere.accept();
            OPENED.incrementAndGet();
            near.write(ByteBuffer.wrap(bytes(random, 100)));
            near.socket().setSoLinger(random.nextBoolean(), 0);
            (random.nextBoolean() ? plain : secure).adopt(far, ByteBuffer.wrap(bytes(random, LONGEST)));
            near.read(ByteBuffer.allocate(random.nextInt(1000)));
        }
    }

    private void connect(Random random) throws Exception {
        boolean isSecure = random.nextBoolean();
        SocketAddress address = (isSecure ? secure : plain).address();
        FutureTask<Void> closed = new FutureTask<>(() -> null);
        ConnectionHandler handler = new ConnectionHandler() {
            @Override
            public void onData(ByteBuffer data, Exchange exchange) {
                data.position(data.limit());
                exchange.close();
            }

            @Override
            public void onClose(Exchange exchange, CloseReason reason) {
                closed.run();
            }
        };
        Connection connection =
                plain.connect(address, handler, isSecure ? engine(true) : null);
        OPENED.incrementAndGet();
        connection.send(ByteBuffer.wrap(bytes(random, LONGEST)));
        if (random.nextInt(3) == 0) {
            connection.abort();
        }
        closed.get(10, TimeUnit.MINUTES);
    }

    /** Aborts, closes, and deferred replies that come when the connection has gone. */
    private void command(Random random) throws Exception {
        try (Socket socket = openAny(random)) {
            byte[] request = bytes(random, 1000);
            request[0] = (byte) "acd".charAt(random.nextInt(3));
            socket.getOutputStream().write(request);
            socket.getInputStream().readNBytes(random.nextInt(2) * request.length);
        }
    }

    private void attack(Attack attack, Random random) throws Exception {
        while (!ends) {
            try {
                attack.run(random);
            } catch (IOException e) {
                continue; // it was cut off
            }
        }
    }

    /** Has each byte checked, whatever others do. */
    private static void behave(Socket socket, int requests, Random random) throws IOException {
        try (socket) {
            socket.setSoTimeout(600_000);
            for (int i = 0; i < requests; i++) {
                byte[] sent = bytes(random, i % 8 == 0 ? LONGEST : 200);
                socket.getOutputStream().write(sent);
                byte[] returned = socket.getInputStream().readNBytes(sent.length);
                if (!Arrays.equals(sent, returned)) {
                    throw new AssertionError(sent.length + " bytes were sent, and other " + returned.length + " came");
                }
            }
        }
    }

    private void run(int requests) throws Exception {
        List<FutureTask<Void>> good = new ArrayList<>();
        List<FutureTask<Void>> bad = new ArrayList<>();
        for (int i = 0; i < 2 * GOOD; i++) {
            Socket socket = i % 2 == 0 ? open(plain) : openSecurely();
            Random random = new Random(i);
            good.add(Tasks.start(() -> behave(socket, requests, random)));
        }
        for (Attack each : attacks()) {
            Random random = new Random(bad.size());
            bad.add(Tasks.start(() -> attack(each, random)));
        }
        for (FutureTask<Void> each : good) {
            each.get();
        }
        plain.close(10, TimeUnit.MILLISECONDS);
        secure.close();
        ends = true;
        for (FutureTask<Void> each : bad) {
            each.get();
        }
        elsewhere.close();
        if (plain.statistics().open() != 0 || secure.statistics().open() != 0) {
            throw new AssertionError("connections are open: " + plain + ", " + secure);
        }
    }

    public static void main(String[] arguments) throws Exception {
        for (int i = Integer.parseInt(arguments[1]); i > 0; i--) {
            new Connections(arguments[0]).run(Integer.parseInt(arguments[2]));
        }
        System.out.println("connections=" + OPENED);
        System.out.println("every byte was right");
        System.exit(0);
    }
}
