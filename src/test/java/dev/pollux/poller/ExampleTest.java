// SPDX-License-Identifier: Apache-2.0
package dev.pollux.poller;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.pollux.Poller;
import dev.pollux.lab.Home;
import dev.pollux.lab.Job;
import dev.pollux.lab.Workbench;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.net.SocketAddress;
import java.net.StandardSocketOptions;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;

/** The server on the page of the {@link Poller}: compiled as it stands there, but for the mechanism, and run. */
class ExampleTest {

    private static final Path PROGRAM = Path.of("docs", "examples", "poller", "EchoServer.java");

    private static final int PATTERN = 65536;

    private static final String OPENING = "new Poller()";

    @TempDir
    static Path folder;

    /** A server of the example, its threads and its clients, and what it says. */
    private static final class Server implements AutoCloseable {
        private final PollerLab lab;
        private final Runnable server;
        private final SocketAddress address;
        private final Poller poller;
        private final Method close;
        private final List<SocketChannel> clients = new ArrayList<>();
        private final PrintStream err = System.err;
        private final ByteArrayOutputStream said = new ByteArrayOutputStream();

        Server(PollerLab lab) throws Exception {
            this.lab = lab;
            Path home = folder.resolve(lab.mechanism().replace('/', '_'));
            try (URLClassLoader loader = new URLClassLoader(new URL[] {home.toUri().toURL()},
                    ExampleTest.class.getClassLoader())) {
                Class<?> type = loader.loadClass("EchoServer");
                Constructor<?> constructor = type.getDeclaredConstructor(int.class);
                constructor.setAccessible(true);
                server = (Runnable) constructor.newInstance(0);
                poller = (Poller) field(type, "poller");
                ServerSocketChannel listener = (ServerSocketChannel) field(type, "server");
                address = Workbench.loopback(listener.socket().getLocalPort());
                close = type.getDeclaredMethod("close");
                close.setAccessible(true);
            }
            System.setErr(new PrintStream(said, true));
        }

        private Object field(Class<?> type, String name) throws ReflectiveOperationException {
            Field field = type.getDeclaredField(name);
            field.setAccessible(true);
            return field.get(server);
        }

        Job<Boolean> start() {
            return lab.start(() -> {
                server.run();
                return true;
            });
        }

        SocketChannel client() throws IOException {
            SocketChannel client = unconnected();
            client.connect(address);
            return client;
        }

        SocketChannel unconnected() throws IOException {
            clients.add(lab.opened(lab.provider().openSocketChannel()));
            return clients.get(clients.size() - 1);
        }

        /** Whether it says so, sooner or later. */
        void assertSays(String text) throws InterruptedException {
            for (long end = System.nanoTime() + Awaits.PATIENCE; !said.toString(UTF_8).contains(text);) {
                assertTrue(System.nanoTime() < end, "should have said " + text + ": " + said);
                Thread.sleep(1);
            }
        }

        /** The clients leave, and when the server has seen that it is closed: its threads end. */
        void assertEnds(List<Job<Boolean>> threads) throws Exception {
            for (SocketChannel client : clients) {
                client.close();
            }
            for (long end = System.nanoTime() + Awaits.PATIENCE; poller.size() > 1;) {
                assertTrue(System.nanoTime() < end, "connections that are left: " + (poller.size() - 1));
                Thread.sleep(1);
            }
            close();
            for (Job<Boolean> thread : threads) {
                assertTrue(thread.result());
            }
        }

        @Override
        public void close() throws ReflectiveOperationException {
            System.setErr(err);
            stop();
        }

        /** As its owner does. */
        void stop() throws ReflectiveOperationException {
            close.invoke(server);
        }
    }

    @BeforeAll
    static void compile() throws Exception {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        assumeTrue(compiler != null, "this Java has no compiler");
        List<String> mechanisms = PollerLab.all().map(PollerLab::mechanism).toList();
        for (String mechanism : mechanisms) {
            Path home = Files.createDirectory(folder.resolve(mechanism.replace('/', '_')));
            Path file = home.resolve("EchoServer.java");
            String open = "Poller.open(\"" + mechanism + "\", 1000)";
            Files.writeString(file, example().replace(OPENING, open));
            assertEquals(0, compiler.run(null, null, null, "-Xlint:all", "-Werror", "-proc:none",
                    "-cp", Home.of(Poller.class).toString(), "-d", home.toString(), file.toString()));
        }
    }

    private static String example() throws IOException {
        String example = Files.readString(PROGRAM);
        assertEquals(2, example.split(OPENING.replace("(", "\\(").replace(")", "\\)"), -1).length);
        return example;
    }

    @EachMechanism
    void twoThreadsEchoWhatSeveralClientsSend(PollerLab lab) throws Exception {
        try (Server server = new Server(lab)) {
            List<Job<Boolean>> threads = List.of(server.start(), server.start());
            List<SocketChannel> clients = new ArrayList<>();
            for (int i = 0; i < 10; i++) {
                clients.add(server.client());
            }
            for (int round = 0; round < 20; round++) {
                for (SocketChannel client : clients) {
                    assertEchoes(client, round);
                }
            }
            server.assertEnds(threads);
        }
    }

    @EachMechanism
    void clientsThatEndOrResetTheirConnectionsTroubleNoOther(PollerLab lab) throws Exception {
        try (Server server = new Server(lab)) {
            Job<Boolean> thread = server.start();
            SocketChannel lasting = server.client();
            assertEchoes(lasting, 1);
            for (int i = 0; i < 20; i++) {
                SocketChannel client = server.client();
                assertEchoes(client, i);
                client.write(ByteBuffer.allocate(1000));
                if (i % 2 == 0) {
                    client.setOption(StandardSocketOptions.SO_LINGER, 0);
                }
                client.close();
                assertEchoes(lasting, i);
            }
            server.assertSays("lost a client");
            server.assertEnds(List.of(thread));
        }
    }

    /** Its one thread waits for POLLOUT, not for the peer. */
    @EachMechanism
    void aClientThatDoesNotReadHoldsUpNoOtherAndGetsAllInTheEnd(PollerLab lab) throws Exception {
        try (Server server = new Server(lab)) {
            Job<Boolean> thread = server.start();
            SocketChannel slow = server.client();
            SocketChannel quick = server.client();
            slow.configureBlocking(false);
            long sent = 0;
            for (int quiet = 0; quiet < 20; quiet++) {
                for (int n; (n = slow.write(pattern(sent))) > 0; sent += n) {
                    quiet = 0;
                }
                assertEchoes(quick, 1); // the server has had its time
            }
            ByteBuffer bytes = ByteBuffer.allocate(PATTERN);
            slow.configureBlocking(true);
            for (long read = 0; read < sent; read += bytes.position()) {
                slow.read(bytes.clear());
                assertTrue(bytes.position() > 0, "the end, " + (sent - read) + " bytes early");
                assertEquals(pattern(read).limit(bytes.position()), bytes.duplicate().flip());
            }
            server.assertEnds(List.of(thread));
        }
    }

    /** Bytes that tell their place in a stream. */
    private static ByteBuffer pattern(long place) {
        ByteBuffer bytes = ByteBuffer.allocate(PATTERN);
        while (bytes.hasRemaining()) {
            bytes.put((byte) ((place + bytes.position()) % 251));
        }
        return bytes.flip();
    }

    @EachMechanism
    void aThreadThatIsInterruptedEndsAndTheOtherGoesOn(PollerLab lab) throws Exception {
        try (Server server = new Server(lab)) {
            Job<Boolean> one = server.start();
            Job<Boolean> two = server.start();
            SocketChannel client = server.client();
            assertEchoes(client, 1);
            one.interrupt();
            assertTrue(one.result(), "ended by an interrupt");
            assertEchoes(client, 2);
            assertEchoes(server.client(), 3);
            server.assertEnds(List.of(two));
        }
    }

    @EachMechanism
    void whenAllDescriptorsAreUsedUpConnectionsWaitAndAreAcceptedLater(PollerLab lab) throws Exception {
        PollerLab.needsUnix();
        try (Server server = new Server(lab)) {
            Job<Boolean> thread = server.start();
            SocketChannel early = server.client();
            assertEchoes(early, 1);
            SocketChannel late = server.unconnected();
            Deque<DatagramChannel> others = new ArrayDeque<>();
            try {
                lab.useUpDescriptors(others);
                late.connect(server.address);
                late.write(ByteBuffer.allocate(1));
                server.assertSays("can't accept now");
                for (int i = 0; i < 100; i++) {
                    assertEchoes(early, i);
                }
            } finally {
                for (DatagramChannel other : others) {
                    other.close();
                }
            }
            ByteBuffer one = ByteBuffer.allocate(1);
            assertEquals(1, late.read(one)); // when the server has tried again
            assertEchoes(late, 2);
            server.assertEnds(List.of(thread));
        }
    }

    @EachMechanism
    void aConnectionThatEndsMakesRoomForTheNextThoughOthersAreBusy(PollerLab lab) throws Exception {
        PollerLab.needsUnix();
        try (Server server = new Server(lab)) {
            Job<Boolean> thread = server.start();
            SocketChannel busy = server.client();
            SocketChannel leaving = server.client();
            assertEchoes(busy, 1);
            assertEchoes(leaving, 1);
            SocketChannel late = server.unconnected();
            Deque<DatagramChannel> others = new ArrayDeque<>();
            try {
                lab.useUpDescriptors(others);
                late.connect(server.address);
                late.configureBlocking(false);
                late.write(ByteBuffer.allocate(1));
                server.assertSays("can't accept now");
                leaving.shutdownOutput(); // its number stays ours, so that of the server's end is the only one
                ByteBuffer one = ByteBuffer.allocate(1);
                for (long end = System.nanoTime() + Awaits.PATIENCE; late.read(one) == 0;) {
                    assertTrue(System.nanoTime() < end, "was not accepted");
                    assertEchoes(busy, 2); // never idle
                }
            } finally {
                for (DatagramChannel other : others) {
                    other.close();
                }
            }
            server.assertEnds(List.of(thread));
        }
    }

    @EachMechanism
    void closingTheServerEndsItsConnections(PollerLab lab) throws Exception {
        try (Server server = new Server(lab)) {
            Job<Boolean> thread = server.start();
            SocketChannel client = server.client();
            assertEchoes(client, 1);
            server.stop();
            assertTrue(thread.result());
            assertEquals(-1, client.read(ByteBuffer.allocate(1)));
        }
    }

    @EachMechanism
    void closingTheServerEndsItsConnectionsThoughNoThreadIsLeft(PollerLab lab) throws Exception {
        try (Server server = new Server(lab)) {
            Job<Boolean> thread = server.start();
            SocketChannel client = server.client();
            assertEchoes(client, 1);
            thread.interrupt();
            assertTrue(thread.result());
            server.stop();
            assertEquals(-1, client.read(ByteBuffer.allocate(1)));
        }
    }

    private static void assertEchoes(SocketChannel client, int seed) throws IOException {
        ByteBuffer sent = ByteBuffer.allocate(100 + seed);
        for (int i = 0; i < sent.capacity(); i++) {
            sent.put(i, (byte) (seed * i));
        }
        client.write(sent.duplicate());
        ByteBuffer received = ByteBuffer.allocate(sent.capacity());
        while (received.hasRemaining()) {
            assertTrue(client.read(received) > 0, "the connection has ended");
        }
        assertEquals(sent, received.flip());
    }
}
