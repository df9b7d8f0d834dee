// SPDX-License-Identifier: Apache-2.0
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoEvent;
import io.netty.channel.IoEventLoop;
import io.netty.channel.IoRegistration;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandle;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.nio.NioIoOps;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.Callback;

/**
 * Faults that are planted in loops on Pollux: does it name each one, once, and how soon? Arguments: Pollux's jar,
 * rounds. The last line is "N passed, N failed, N skipped".
 */
public final class Planted {
    private static final long PATIENCE_SECONDS = 30;
    private static final long SLEEP_MILLIS = 300;

    /** A loop may look once more at what is ready between a handler and the next wait. */
    private static final int FEW = 2;

    /** The handler does not sleep all the time, so top may look in between. */
    private static final int LOOKS = 5;
    private static final Logger LOGGER = Logger.getLogger("dev.pollux");

    private static int passed;
    private static int failed;

    private final BlockingQueue<String> warnings = new LinkedBlockingQueue<>();

    private Planted() {
    }

    /** What is planted: the state of a connection, and the words that must name it. */
    private enum Fault {
        LEFT_SELECTED("was left in the set of selected keys", SelectionKey.OP_READ),
        WRITE_INTEREST("interest in writing was left on", SelectionKey.OP_WRITE),
        END_OF_STREAM("the stream has ended", SelectionKey.OP_READ),
        DATA_NOT_READ("data has arrived that is not read", SelectionKey.OP_READ);

        private final String words;
        private final int interest;

        Fault(String words, int interest) {
            this.words = words;
            this.interest = interest;
        }
    }

    public static void main(String[] arguments) throws Exception {
        int rounds = Integer.parseInt(arguments[1]);
        LOGGER.setUseParentHandlers(false);
        for (Fault fault : Fault.values()) {
            spins(fault, "plain NIO", rounds, Planted::inPlainNio);
            if (fault != Fault.LEFT_SELECTED) { // Netty empties the set itself
                spins(fault, "Netty", rounds, Planted::inNetty);
            }
        }
        try (Netty netty = new Netty()) {
            sleeps("Netty", netty.port, arguments[0]);
        }
        try (Jetty jetty = new Jetty()) {
            sleeps("Jetty", jetty.port(), arguments[0]);
        }
        System.out.println();
        System.out.println(passed + " passed, " + failed + " failed, 0 skipped");
        System.exit(failed == 0 ? 0 : 1);
    }

    private static void expect(String what, boolean holds) {
        System.out.println((holds ? "ok: " : "WRONG: ") + what);
        passed += holds ? 1 : 0;
        failed += holds ? 0 : 1;
    }

    // Spins

    /** Has a selector that nobody works on this connection for, until closed. */
    private interface Loop {
        AutoCloseable on(Fault fault, java.nio.channels.SocketChannel connection) throws Exception;
    }

    private static void spins(Fault fault, String where, int rounds, Loop loop) throws Exception {
        List<Long> millis = new ArrayList<>();
        int right = 0;
        int once = 0;
        for (int i = 0; i < rounds; i++) {
            Planted planted = new Planted();
            String first = planted.firstWarning(fault, loop);
            millis.add(planted.nanos / 1_000_000);
            right += first.contains(fault.words) && first.contains(planted.peer) ? 1 : 0;
            once += planted.warnings.isEmpty() ? 1 : 0;
        }
        Collections.sort(millis);
        expect(where + ", " + fault + ": named with the right key in " + right + " of " + rounds + " rounds, once in "
                + once + ", after " + millis.get(rounds / 2) + " ms (median), " + millis.get(rounds - 1)
                + " ms (worst)",
                right == rounds && once == rounds && millis.get(rounds - 1) < 2000);
    }

    private long nanos;
    private String peer = "";

    private String firstWarning(Fault fault, Loop loop) throws Exception {
        java.util.logging.Handler handler = new java.util.logging.Handler() {
            @Override
            public void publish(LogRecord logged) {
                warnings.add(logged.getMessage());
            }

            @Override
            public void flush() {
            }

            @Override
            public void close() {
            }
        };
        LOGGER.addHandler(handler);
        try (ServerSocketChannel server = ServerSocketChannel.open()
                .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
                Socket client = new Socket(InetAddress.getLoopbackAddress(), server.socket().getLocalPort());
                java.nio.channels.SocketChannel connection = server.accept()) {
            peer = "127.0.0.1:" + client.getLocalPort();
            connection.configureBlocking(false);
            if (fault == Fault.END_OF_STREAM) {
                client.shutdownOutput();
            } else if (fault != Fault.WRITE_INTEREST) {
                client.getOutputStream().write(1);
            }
            try (AutoCloseable spinning = loop.on(fault, connection)) {
                long since = System.nanoTime();
                String first = warnings.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
                nanos = System.nanoTime() - since;
                Thread.sleep(200); // it must not be said again
                return String.valueOf(first);
            }
        } finally {
            LOGGER.removeHandler(handler);
        }
    }

    private static AutoCloseable inPlainNio(Fault fault, java.nio.channels.SocketChannel connection)
            throws IOException {
        Selector selector = Selector.open();
        connection.register(selector, fault.interest);
        Thread thread = new Thread(() -> {
            try {
                while (true) {
                    selector.select();
                    if (fault != Fault.LEFT_SELECTED) {
                        selector.selectedKeys().clear();
                    }
                    if (fault == Fault.LEFT_SELECTED && !selector.isOpen()) {
                        return;
                    }
                }
            } catch (IOException | java.nio.channels.ClosedSelectorException closed) {
                return;
            }
        }, "plain");
        thread.start();
        return () -> {
            selector.close();
            thread.join();
        };
    }

    private static AutoCloseable inNetty(Fault fault, java.nio.channels.SocketChannel connection) throws Exception {
        EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
        IoEventLoop loop = (IoEventLoop) group.next();
        IoRegistration registration = loop.register(new NioIoHandle() {
            @Override
            public SelectableChannel selectableChannel() {
                return connection;
            }

            @Override
            public void handle(IoRegistration registered, IoEvent event) {
                // the fault: it does nothing
            }

            @Override
            public void close() {
                // by who opened it
            }
        }).get();
        loop.submit(() -> registration.submit(fault == Fault.WRITE_INTEREST ? NioIoOps.WRITE : NioIoOps.READ)).get();
        return () -> group.shutdownGracefully(0, 0, TimeUnit.SECONDS).sync();
    }

    // Handlers that sleep

    private static void nap() {
        try {
            Thread.sleep(SLEEP_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Netty, whose handler sleeps on the event loop. */
    private static final class Netty implements AutoCloseable {
        final int port;
        private final EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());

        Netty() throws InterruptedException {
            port = ((InetSocketAddress) new ServerBootstrap().group(group).channel(NioServerSocketChannel.class)
                    .childHandler(new ChannelInitializer<SocketChannel>() {
                        @Override
                        protected void initChannel(SocketChannel channel) {
                            channel.pipeline().addLast(new Slow());
                        }
                    }).bind("127.0.0.1", 0).sync().channel().localAddress()).getPort();
        }

        @Override
        public void close() throws InterruptedException {
            group.shutdownGracefully(0, 0, TimeUnit.SECONDS).sync();
        }
    }

    private static final class Slow extends ChannelInboundHandlerAdapter {
        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            nap();
            context.writeAndFlush(context.alloc().buffer().writeBytes(
                    "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".getBytes()));
            io.netty.util.ReferenceCountUtil.release(message);
        }
    }

    /** Jetty, with a handler that claims not to block, so it is called on the thread that selects. */
    private static final class Jetty implements AutoCloseable {
        private final Server server = new Server();
        private final ServerConnector connector = new ServerConnector(server);

        Jetty() throws Exception {
            connector.setHost("127.0.0.1");
            server.addConnector(connector);
            server.setHandler(new Handler.Abstract.NonBlocking() {
                @Override
                public boolean handle(Request request, Response response, Callback callback) {
                    nap();
                    response.write(true, ByteBuffer.allocate(0), callback);
                    return true;
                }
            });
            server.start();
        }

        int port() {
            return connector.getLocalPort();
        }

        @Override
        public void close() throws Exception {
            server.stop();
        }
    }

    private static void sleeps(String where, int port, String jar) throws Exception {
        Path file = Files.createTempFile("planted", ".jfr");
        String shown = "";
        try (Recording recording = new Recording()) {
            recording.enable("dev.pollux.Busy").withThreshold(Duration.ofMillis(100));
            recording.start();
            for (int i = 0; i < 3; i++) {
                ask(port);
            }
            Thread asking = new Thread(() -> {
                while (!Thread.currentThread().isInterrupted()) {
                    ask(port);
                }
            });
            asking.start();
            for (int i = 0; i < LOOKS && !shown.contains("Planted.nap"); i++) {
                shown = top(jar);
            }
            asking.interrupt();
            asking.join();
            recording.stop();
            recording.dump(file);
        }
        List<Long> millis = new ArrayList<>();
        for (RecordedEvent event : RecordingFile.readAllEvents(file)) {
            // The recording has other events of Pollux, too.
            if (event.getEventType().getName().equals("dev.pollux.Busy") && event.getLong("busySelections") <= FEW
                    && event.getDuration().toMillis() >= SLEEP_MILLIS) {
                millis.add(event.getDuration().toMillis());
            }
        }
        Files.delete(file);
        Collections.sort(millis);
        expect(where + ", a handler sleeps for " + SLEEP_MILLIS + " ms: recorded as Busy with one selection or two "
                + millis.size() + " times, of " + (millis.isEmpty() ? "" : millis.get(0) + " to "
                + millis.get(millis.size() - 1)) + " ms", millis.size() >= 3);
        expect(where + ": top shows where the handler sleeps", shown.contains("Planted.nap"));
    }

    private static String top(String jar) throws IOException {
        Process top = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-jar",
                jar, "top", Long.toString(ProcessHandle.current().pid()), "--once", "--json", "--stack")
                .redirectError(ProcessBuilder.Redirect.INHERIT).start();
        return new String(top.getInputStream().readAllBytes());
    }

    /** Asks, and gives the server the time to wait for the next one. */
    private static void ask(int port) {
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
        try (InputStream in = URI.create("http://127.0.0.1:" + port + "/").toURL().openStream()) {
            in.readAllBytes();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }
}
