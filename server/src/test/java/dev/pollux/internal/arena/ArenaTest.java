// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.arena;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.pollux.internal.jdk.ConnectedChannels;
import dev.pollux.internal.jdk.Descriptors;
import dev.pollux.internal.jdk.DirectMemory;
import dev.pollux.internal.jni.ArenaNatives;
import dev.pollux.internal.startup.Startup;
import dev.pollux.lab.ArenaMechanisms;
import dev.pollux.lab.Garbage;
import dev.pollux.lab.Injection;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The port to {@code arena.h}, on each mechanism: what the C tests show is seen from Java. */
class ArenaTest {
    private static final long PATIENCE = TimeUnit.SECONDS.toNanos(20);

    /** With what its peer's system takes. */
    private static final int MORE_THAN_A_SOCKET_TAKES = 16_000_000;

    private Arena arena;
    private ServerSocketChannel listener;
    private Socket peer;

    static Stream<String> mechanisms() {
        return ArenaMechanisms.here();
    }

    private long open(String mechanism) throws IOException {
        arena = Arena.open(mechanism, 0, 0);
        listener = ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        long listening = arena.listen(Descriptors.of(listener));
        peer = new Socket(InetAddress.getLoopbackAddress(), listener.socket().getLocalPort());
        peer.setTcpNoDelay(true);
        peer.setSoTimeout((int) TimeUnit.NANOSECONDS.toMillis(PATIENCE));
        int accepted = expect(Arrivals.ACCEPTED);
        assertEquals(listening, arena.arrivals().detail(accepted));
        return arena.arrivals().connection(accepted);
    }

    /** Orders something with bytes of the arena's memory. */
    private void order(long connection, int what, int from, int length) {
        arena.orders().add(connection, what, DirectMemory.address(arena.memory()) + from, length);
    }

    @AfterEach
    void close() throws IOException {
        if (arena != null) {
            arena.close();
            arena.close();
            arena.wakeup();
            listener.close();
            peer.close();
        }
    }

    /** The one thing that arrives next. */
    private int expect(int what) throws IOException {
        int arrived = 0;
        for (long end = System.nanoTime() + PATIENCE; arrived <= 0; arrived = arena.turn(PATIENCE)) {
            assertTrue(System.nanoTime() < end);
        }
        assertEquals(1, arrived);
        assertEquals(what, arena.arrivals().what(0));
        return 0;
    }

    private String text(int arrival) {
        byte[] bytes = new byte[arena.arrivals().length(arrival)];
        arena.memory().get(arena.arrivals().bytes(arrival), bytes);
        return new String(bytes, StandardCharsets.US_ASCII);
    }

    private void say(String text) throws IOException {
        peer.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
    }

    private String hear(int length) throws IOException {
        return new String(peer.getInputStream().readNBytes(length), StandardCharsets.US_ASCII);
    }

    /** Else it would listen to no one, and no one would know. */
    @ParameterizedTest
    @MethodSource("mechanisms")
    void whatTheKernelDoesNotWatchIsNotTakenOver(String mechanism) throws Exception {
        assumeTrue(mechanism.equals("epoll"), "the others do not ask the kernel at once");
        open(mechanism);
        try (SocketChannel connected = SocketChannel.open(listener.getLocalAddress())) {
            int before = dev.pollux.lab.Descriptors.count();
            try (Injection faults = Injection.failing("epoll_ctl", "ENOSPC")) {
                for (Executable call : List.<Executable>of(() -> arena.listen(Descriptors.of(listener)),
                        () -> arena.adopt(Descriptors.of(connected), new byte[0]))) {
                    String said = assertThrows(IOException.class, call).getMessage();
                    assertTrue(said.contains("ENOSPC") && said.contains("max_user_watches"), said);
                }
                assertEquals(2, faults.calls().size());
            }
            assertEquals(before, dev.pollux.lab.Descriptors.count());
        }
    }

    @ParameterizedTest
    @MethodSource("mechanisms")
    void repliesAreSentFromWhereTheyAre(String mechanism) throws IOException {
        long connection = open(mechanism);
        ByteBuffer memory = arena.memory();
        assertEquals(mechanism, arena.name());
        say("ask");
        int data = expect(Arrivals.DATA);
        assertEquals(connection, arena.arrivals().connection(data));
        assertEquals("ask", text(data));
        memory.put(0, "reply".getBytes(StandardCharsets.US_ASCII));
        order(connection, Orders.SEND, arena.arrivals().bytes(data), 3);
        order(connection, Orders.SEND | Orders.NOTIFY, 0, 5);
        assertEquals(1, arena.arrivals().detail(expect(Arrivals.SENT)));
        assertEquals("askreply", hear(8));
    }

    @ParameterizedTest
    @MethodSource("mechanisms")
    void partsAreJoined(String mechanism) throws IOException {
        long connection = open(mechanism);
        say("first ");
        int data = expect(Arrivals.DATA);
        order(connection, Orders.KEEP, arena.arrivals().bytes(data), 6);
        assertEquals(0, arena.turn(0));
        say("second");
        assertEquals("first second", text(expect(Arrivals.DATA)));
    }

    @ParameterizedTest
    @MethodSource("mechanisms")
    void whatIsReleasedCanBeAdopted(String mechanism) throws IOException {
        long connection = open(mechanism);
        say("taken left");
        int data = expect(Arrivals.DATA);
        order(connection, Orders.RELEASE, arena.arrivals().bytes(data) + 6, 4);
        int released = expect(Arrivals.RELEASED);
        byte[] unread = arena.arrivals().unread(released);
        assertArrayEquals("left".getBytes(StandardCharsets.US_ASCII), unread);
        long again;
        int descriptor = (int) arena.arrivals().detail(released);
        try (SocketChannel channel = new ConnectedChannels().of(SelectorProvider.provider(),
                Arena.family(descriptor), descriptor)) {
            again = arena.adopt(Descriptors.of(channel), unread);
        }
        assertTrue(again != connection);
        assertEquals("left", text(expect(Arrivals.DATA)));
        arena.orders().add(again, Orders.CLOSE);
        expect(Arrivals.CLOSED);
        assertEquals("", hear(1));
    }

    @ParameterizedTest
    @MethodSource("mechanisms")
    void bothSidesHaveAnAddress(String mechanism) throws IOException {
        long connection = open(mechanism);
        assertEquals(peer.getLocalSocketAddress(), arena.peer(connection));
        assertEquals(peer.getRemoteSocketAddress(), arena.local(connection));
        arena.orders().add(connection, Orders.CLOSE);
        expect(Arrivals.CLOSED);
        assertNull(arena.peer(connection));
        assertNull(arena.local(connection));
    }

    @ParameterizedTest
    @MethodSource("mechanisms")
    void aUnixDomainConnectionHasNoAddress(String mechanism, @TempDir Path folder) throws IOException {
        open(mechanism);
        UnixDomainSocketAddress address = UnixDomainSocketAddress.of(folder.resolve("socket"));
        try (ServerSocketChannel other = ServerSocketChannel.open(StandardProtocolFamily.UNIX).bind(address);
                SocketChannel near = SocketChannel.open(address);
                SocketChannel far = other.accept()) {
            long connection = arena.adopt(Descriptors.of(far), new byte[0]);
            assertTrue(near.isConnected());
            assertNull(arena.peer(connection));
            assertNull(arena.local(connection));
        }
    }

    @ParameterizedTest
    @MethodSource("mechanisms")
    void whatIsReleasedChangesTheArena(String mechanism) throws IOException {
        long connection = open(mechanism);
        int before = dev.pollux.lab.Descriptors.count();
        say("taken left");
        int data = expect(Arrivals.DATA);
        order(connection, Orders.RELEASE, arena.arrivals().bytes(data) + 6, 4);
        int released = expect(Arrivals.RELEASED);
        byte[] unread = arena.arrivals().unread(released);
        int descriptor = (int) arena.arrivals().detail(released);
        assertEquals(before, dev.pollux.lab.Descriptors.count());
        Arena first = arena;
        try {
            arena = Arena.open(mechanism, 0, 0);
            assertTrue(arena.reserve());
            long again = arena.adoptOwn(descriptor, unread);
            assertEquals("left", text(expect(Arrivals.DATA)));
            arena.orders().add(again, Orders.CLOSE);
            expect(Arrivals.CLOSED);
            assertEquals("", hear(1));
        } finally {
            first.close();
        }
    }

    @ParameterizedTest
    @MethodSource("mechanisms")
    void whatIsNotAdoptedIsClosed(String mechanism) throws IOException {
        open(mechanism);
        int before = dev.pollux.lab.Descriptors.count();
        int datagrams;
        try (DatagramChannel channel = DatagramChannel.open()) {
            datagrams = ArenaNatives.duplicate(Descriptors.of(channel));
        }
        assertTrue(arena.reserve());
        assertThrows(IOException.class, () -> arena.adoptOwn(datagrams, new byte[0]));
        assertEquals(before, dev.pollux.lab.Descriptors.count());
    }

    @ParameterizedTest
    @MethodSource("mechanisms")
    void aClosedArenaHasNoPlace(String mechanism) throws IOException {
        open(mechanism);
        assertTrue(arena.reserve());
        arena.unreserve();
        arena.close();
        assertFalse(arena.reserve());
        arena.unreserve();
    }

    @ParameterizedTest
    @MethodSource("mechanisms")
    void aDuplexConnectionReceivesWhileBytesWait(String mechanism) throws IOException {
        long connection = open(mechanism);
        arena.orders().add(connection, Orders.DUPLEX);
        for (int ordered = 0; ordered < MORE_THAN_A_SOCKET_TAKES; ordered += arena.spaceSize()) {
            order(connection, Orders.SEND, 0, arena.spaceSize());
        }
        expect(Arrivals.UNSENT);
        say("ask");
        assertEquals("ask", text(expect(Arrivals.DATA)));
        assertTrue(arena.unsent(connection) > 0);
    }

    @ParameterizedTest
    @MethodSource("mechanisms")
    void aConnectionOfOnesOwnIsTold(String mechanism) throws IOException {
        open(mechanism);
        try (ServerSocketChannel other = ServerSocketChannel.open()
                .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))) {
            long connection = connect(other.getLocalAddress());
            order(connection, Orders.SEND, 0, 5);
            arena.memory().put(0, "first".getBytes(StandardCharsets.US_ASCII));
            assertEquals(connection, arena.arrivals().connection(expect(Arrivals.CONNECTED)));
            arena.turn(0);
            try (SocketChannel accepted = other.accept()) {
                assertEquals("first", new String(accepted.socket().getInputStream().readNBytes(5),
                        StandardCharsets.US_ASCII));
            }
            expect(Arrivals.END);
        }
    }

    @ParameterizedTest
    @MethodSource("mechanisms")
    void aConnectionThatIsRefusedIsAnError(String mechanism) throws IOException {
        open(mechanism);
        try (SocketChannel bound = SocketChannel.open()
                .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))) {
            long connection = connect(bound.getLocalAddress());
            int refused = expect(Arrivals.ERROR);
            assertEquals(connection, arena.arrivals().connection(refused));
            String why = Arena.describe(arena.arrivals().detail(refused));
            assertTrue(why.contains("refused"), why);
            arena.orders().add(connection, Orders.CLOSE);
            expect(Arrivals.CLOSED);
        }
    }

    private long connect(SocketAddress to) throws IOException {
        try (SocketChannel channel = SocketChannel.open()) {
            channel.configureBlocking(false);
            channel.connect(to); // in progress, or done
            return arena.connect(Descriptors.of(channel));
        }
    }

    @ParameterizedTest
    @MethodSource("mechanisms")
    void aWakeupEndsATurn(String mechanism) throws Exception {
        open(mechanism);
        Thread waker = new Thread(() -> arena.wakeup());
        waker.start();
        expect(Arrivals.WAKEUP);
        waker.join();
    }

    @ParameterizedTest
    @MethodSource("mechanisms")
    void aRequestMakesNoGarbage(String mechanism) throws Exception {
        long connection = open(mechanism);
        byte[] byteOfPeer = {'x'};
        Garbage.assertNone(() -> {
            peer.getOutputStream().write(byteOfPeer);
            int data = expect(Arrivals.DATA);
            order(connection, Orders.SEND, arena.arrivals().bytes(data), 1);
            arena.turn(0);
            assertEquals(1, peer.getInputStream().read(byteOfPeer));
        });
    }

    @ParameterizedTest
    @MethodSource("mechanisms")
    void countsGrow(String mechanism) throws IOException {
        open(mechanism);
        long[] counts = new long[ArenaNatives.COUNTS];
        arena.counts(counts);
        assertTrue(counts[ArenaNatives.TURNS] > 0);
        assertTrue(counts[ArenaNatives.SYSTEM_CALLS] > 0);
    }

    @Test
    void aThreadIsPinnedToOneProcessor() throws Exception {
        Path status = Path.of("/proc/thread-self/status");
        assumeTrue(Files.exists(status), "this system does not tell where a thread may run");
        Set<String> processors = new HashSet<>();
        for (int index = 0; index < 2 * Runtime.getRuntime().availableProcessors(); index++) {
            int chosen = index;
            processors.add(CompletableFuture.supplyAsync(() -> {
                assertEquals(0, ArenaNatives.pin(chosen));
                return allowed(status);
            }, task -> new Thread(task).start()).get());
        }
        assertEquals(Runtime.getRuntime().availableProcessors(), processors.size());
        assertTrue(processors.stream().allMatch(p -> p.matches("[0-9]+")), processors.toString());
    }

    private static String allowed(Path status) {
        try (Stream<String> lines = Files.lines(status)) {
            String name = "Cpus_allowed_list:";
            return lines.filter(line -> line.startsWith(name)).findFirst().orElseThrow().substring(name.length())
                    .strip();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void aMechanismThatDoesNotExistIsNamed() {
        assertTrue(Startup.outcome().failure() == null);
        IOException refused = assertThrows(IOException.class, () -> Arena.open("carrier pigeon", 0, 0));
        assertTrue(refused.getMessage().contains("carrier pigeon"), refused.getMessage());
    }
}
