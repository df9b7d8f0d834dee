// SPDX-License-Identifier: Apache-2.0
package dev.pollux.interrupt;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.InterruptServer;
import dev.pollux.InterruptServerBuilder;
import dev.pollux.Interruptlet;
import dev.pollux.Reply;
import dev.pollux.internal.arena.Arena;
import dev.pollux.internal.startup.Startup;
import dev.pollux.lab.Garbage;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What an Interruptlet may answer, and what becomes of it, on each mechanism. */
class InterruptServerTest {
    private static final int PATIENCE_MILLIS = 20_000;

    private final BlockingQueue<Throwable> errors = new LinkedBlockingQueue<>();
    private InterruptServer server;
    private Socket peer;

    static Stream<String> mechanisms() {
        assertEquals(null, Startup.outcome().failure());
        return Stream.of(Arena.mechanisms().split(",")).filter(InterruptServerTest::isHere);
    }

    private static boolean isHere(String mechanism) {
        try {
            Arena.open(mechanism, new Arena.Sizes(0, 0, 0, 0, 0, 0)).close();
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    private InterruptServerBuilder at(String mechanism, Supplier<Interruptlet> handlers) {
        return InterruptServer.at(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), handlers)
                .mechanism(mechanism).onError(errors::add);
    }

    private void start(InterruptServerBuilder builder) throws IOException {
        server = builder.start();
        peer = connect();
    }

    private Socket connect() throws IOException {
        InetSocketAddress address = (InetSocketAddress) server.address();
        Socket socket = new Socket(address.getAddress(), address.getPort());
        socket.setTcpNoDelay(true);
        socket.setSoTimeout(PATIENCE_MILLIS);
        return socket;
    }

    @AfterEach
    void close() throws IOException {
        if (peer != null) {
            peer.close();
        }
        if (server != null) {
            server.close();
        }
    }

    private static ByteBuffer bytes(String text) {
        return ByteBuffer.wrap(text.getBytes(StandardCharsets.US_ASCII));
    }

    /** A request is one letter. */
    private static char letter(ByteBuffer data) {
        return (char) data.get();
    }

    private void say(String text) throws IOException {
        peer.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
    }

    private String hear(int length) throws IOException {
        return new String(peer.getInputStream().readNBytes(length), StandardCharsets.US_ASCII);
    }

    private static ByteBuffer all(ByteBuffer data) {
        return data.position(data.limit());
    }

    @ParameterizedTest
    @MethodSource("mechanisms")
    void dataItselfIsAnEcho(String mechanism) throws IOException {
        start(at(mechanism, () -> (data, from) -> all(data)));
        assertEquals(mechanism, server.mechanism());
        say("what I say");
        assertEquals("what I say", hear(10));
    }

    @ParameterizedTest
    @MethodSource("mechanisms")
    void pipelinedRequestsAreAnsweredInOrder(String mechanism) throws IOException {
        ByteBuffer reply = bytes("<.>");
        start(at(mechanism, () -> (data, from) -> reply.put(1, (byte) letter(data))));
        say("abc");
        assertEquals("<a><b><c>", hear(9));
    }

    @ParameterizedTest
    @MethodSource("mechanisms")
    void residentRepliesAreSent(String mechanism) throws IOException {
        ByteBuffer[] page = new ByteBuffer[1];
        start(at(mechanism, () -> (data, from) -> {
            all(data);
            return page[0];
        }));
        page[0] = server.resident(bytes("a page"));
        for (int i = 0; i < 3; i++) {
            say("?");
            assertEquals("a page", hear(6));
        }
    }

    @ParameterizedTest
    @MethodSource("mechanisms")
    void aReplyMayBeLargerThanAnyBuffer(String mechanism) throws IOException {
        String large = "0123456789".repeat(500_000);
        start(at(mechanism, () -> (data, from) -> {
            all(data);
            return bytes(large);
        }).maxPending(large.length()));
        say("?");
        assertEquals(large, hear(large.length()));
    }

    @ParameterizedTest
    @MethodSource("mechanisms")
    void anIncompleteRequestComesAgainWithMore(String mechanism) throws Exception {
        start(at(mechanism, () -> (data, from) -> {
            boolean complete = data.get(data.limit() - 1) == '.';
            return complete ? all(data) : Interruptlet.MORE;
        }));
        for (String part : new String[] {"one ", "two ", "three."}) {
            say(part);
            Thread.sleep(20);
        }
        assertEquals("one two three.", hear(14));
    }

    @ParameterizedTest
    @MethodSource("mechanisms")
    void requestsWaitBehindADeferredReply(String mechanism) throws Exception {
        BlockingQueue<Reply> deferred = new LinkedBlockingQueue<>();
        start(at(mechanism, () -> (data, from) -> {
            char letter = letter(data);
            if (letter == 'd') {
                deferred.add(from.defer());
                return Interruptlet.NONE;
            }
            return bytes("<" + letter + ">");
        }));
        for (int i = 0; i < 50; i++) {
            say("adb");
            assertEquals("<a>", hear(3));
            deferred.take().send(bytes("late"));
            assertEquals("late<b>", hear(7));
        }
    }

    @ParameterizedTest
    @MethodSource("mechanisms")
    void aReplyThatIsGivenAtOnceFollowsTheOneBeforeIt(String mechanism) throws IOException {
        start(at(mechanism, () -> (data, from) -> {
            char letter = letter(data);
            if (letter == 'd') {
                from.defer().send(bytes("<d>"));
                return Interruptlet.NONE;
            }
            return bytes("<" + letter + ">");
        }));
        for (int i = 0; i < 20; i++) {
            say("ad");
            assertEquals("<a><d>", hear(6));
        }
    }

    @ParameterizedTest
    @MethodSource("mechanisms")
    void nullTakesTheSlowPathAndBackAgain(String mechanism) throws Exception {
        start(at(mechanism, () -> (data, from) -> data.get(data.position()) == 's' ? null : all(data))
                .slowPath((channel, unread) -> {
                    assertEquals('s', unread.get());
                    channel.write(bytes("slow "));
                    server.adopt(channel, unread);
                }, task -> new Thread(task).start()));
        for (int i = 0; i < 20; i++) {
            say("fast");
            assertEquals("fast", hear(4));
            say("sfast");
            assertEquals("slow fast", hear(9));
        }
        assertEquals(null, errors.poll());
    }

    @ParameterizedTest
    @MethodSource("mechanisms")
    void anExceptionClosesTheConnectionAndIsTold(String mechanism) throws Exception {
        start(at(mechanism, () -> (data, from) -> {
            if (letter(data) == 'x') {
                throw new IOException("on purpose");
            }
            return Interruptlet.NONE;
        }));
        say("x");
        assertEquals("", hear(1));
        assertEquals("on purpose", errors.poll(PATIENCE_MILLIS, TimeUnit.MILLISECONDS).getMessage());
        try (Socket other = connect()) {
            assertTrue(other.isConnected());
        }
    }

    @ParameterizedTest
    @MethodSource("mechanisms")
    void aHandlerThatConsumesNothingIsAnError(String mechanism) throws Exception {
        start(at(mechanism, () -> (data, from) -> Interruptlet.NONE));
        say("x");
        assertEquals("", hear(1));
        assertInstanceOf(IllegalStateException.class, errors.poll(PATIENCE_MILLIS, TimeUnit.MILLISECONDS));
    }

    @ParameterizedTest
    @MethodSource("mechanisms")
    void closingFromAHandlerSendsTheReplyFirst(String mechanism) throws IOException {
        start(at(mechanism, () -> (data, from) -> {
            from.close();
            all(data);
            return bytes("bye");
        }));
        say("?");
        assertEquals("bye", hear(4));
    }

    @ParameterizedTest
    @MethodSource("mechanisms")
    void aGracefulCloseWaitsForDeferredReplies(String mechanism) throws Exception {
        BlockingQueue<Reply> deferred = new LinkedBlockingQueue<>();
        start(at(mechanism, () -> (data, from) -> {
            all(data);
            deferred.add(from.defer());
            return Interruptlet.NONE;
        }));
        say("?");
        Reply reply = deferred.take();
        Thread answer = new Thread(() -> reply.send(bytes("done")));
        Thread closer = new Thread(() -> {
            try {
                server.close(PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
            } catch (InterruptedException e) {
                errors.add(e);
            }
        });
        closer.start();
        answer.start();
        assertEquals("done", hear(5));
        closer.join();
    }

    @ParameterizedTest
    @MethodSource("mechanisms")
    void aRequestMakesNoGarbage(String mechanism) throws Exception {
        Thread[] loop = new Thread[1];
        start(at(mechanism, () -> (data, from) -> {
            loop[0] = Thread.currentThread();
            return all(data);
        }));
        say("x");
        assertEquals("x", hear(1));
        byte[] one = {'x'};
        Garbage.assertNone(() -> {
            peer.getOutputStream().write(one);
            assertEquals(1, peer.getInputStream().read(one));
        }, loop[0]);
    }
}
