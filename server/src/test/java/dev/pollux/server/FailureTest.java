// SPDX-License-Identifier: Apache-2.0
package dev.pollux.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.lab.Warnings;
import dev.pollux.server.ServerErrorHandler.Place;
import dev.pollux.server.ServerLab.Client;
import dev.pollux.server.ServerLab.Problem;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** Handlers that fail and peers that misbehave: each harms its own connection only. */
class FailureTest {

    @EachMechanism
    void whateverAHandlerThrowsIsToldAndTheOthersGoOn(ServerLab lab) throws Exception {
        List<Throwable> thrown = List.of(new IOException("on purpose"), new IllegalStateException("on purpose"),
                new AssertionError("on purpose"), new OutOfMemoryError("on purpose"),
                new NoClassDefFoundError("on purpose"), new StackOverflowError("on purpose"));
        lab.serve(() -> (data, exchange) -> {
            int number = ServerLab.letter(data) - '0';
            if (number < thrown.size()) {
                throw sneaky(thrown.get(number));
            }
            ServerLab.echoConsumed(data, exchange);
        });
        Client other = lab.client();
        for (int i = 0; i < thrown.size(); i++) {
            Client client = lab.client();
            client.say("9");
            client.assertHears("9");
            client.say(String.valueOf(i));
            client.assertIsClosed();
            Problem problem = lab.problem();
            assertEquals(Place.HANDLER, problem.place());
            assertSame(thrown.get(i), problem.error());
            assertEquals(client.channel.getLocalAddress(), problem.peer());
            other.say("9");
            other.assertHears("9");
        }
        lab.until(counts -> counts.closedThrown() == thrown.size() && counts.open() == 1);
    }

    private static RuntimeException sneaky(Throwable thrown) throws Exception {
        if (thrown instanceof Error error) {
            throw error;
        }
        throw (Exception) thrown;
    }

    @EachMechanism
    void endlessRecursionInAHandlerHarmsItsConnectionOnly(ServerLab lab) throws Exception {
        lab.serve(() -> new ConnectionHandler() {
            @Override
            public void onData(ByteBuffer data, Exchange exchange) throws Exception {
                if (data.get(0) == 'r') {
                    onData(data, exchange);
                }
                ServerLab.echo(data, exchange);
            }
        });
        for (int i = 0; i < 10; i++) {
            Client client = lab.client();
            client.say("r");
            client.assertIsClosed();
            assertInstanceOf(StackOverflowError.class, lab.problem().error());
        }
        Client client = lab.client();
        client.say("x");
        client.assertHears("x");
    }

    /** 'i' leaves the thread interrupted, 't' throws as well, and 'e' has the error handler leave it so. */
    @EachMechanism
    void aHandlerThatLeavesItsThreadInterruptedHarmsNoOther(ServerLab lab) throws Exception {
        BlockingQueue<Boolean> wereInterrupted = new LinkedBlockingQueue<>();
        lab.serve(lab.anywhere(() -> (data, exchange) -> {
            new Semaphore(1).acquire(); // an InterruptedException, if it is so
            char letter = ServerLab.letter(data);
            if (letter == 'i' || letter == 't') {
                Thread.currentThread().interrupt();
            }
            if (letter == 't' || letter == 'e') {
                throw new IOException(String.valueOf(letter));
            }
            ServerLab.echoConsumed(data, exchange);
        }).onError((place, error, peer) -> {
            wereInterrupted.add(Thread.currentThread().isInterrupted());
            if (error.getMessage().equals("e")) {
                Thread.currentThread().interrupt();
            }
        }));
        Client other = lab.client();
        for (String said : List.of("iixi", "t", "e", "i")) {
            Client client = lab.client();
            client.say(said);
            if (said.startsWith("i")) {
                client.assertHears(said);
            } else {
                client.assertIsClosed();
                assertEquals(false, wereInterrupted.take(), "the error handler's thread");
            }
            other.say("x");
            other.assertHears("x");
        }
        assertEquals(2, lab.server().statistics().closedThrown());
    }

    /** What a log says, if no error handler is named. */
    @EachMechanism
    void theLogNamesTheConnection(ServerLab lab) throws Exception {
        try (Warnings warnings = new Warnings()) {
            lab.serve(StreamServer.at(ServerLab.loopback(0), () -> (data, exchange) -> {
                throw new IOException("on purpose");
            }).mechanism(lab.mechanism()));
            Client client = lab.client();
            client.say("x");
            client.assertIsClosed();
            lab.until(counts -> counts.open() == 0);
            List<String> messages = new ArrayList<>(warnings.messages());
            messages.removeIf(message -> message.startsWith("Caught, so that")); // of an earlier test's error handler
            assertEquals(List.of("StreamServer, HANDLER, connection from " + client.channel.getLocalAddress()),
                    messages);
        }
    }

    /** Whatever it sends: it is called again with more behind. */
    @EachMechanism
    void aHandlerThatConsumesNothingAwaitsMore(ServerLab lab) throws Exception {
        lab.serve(() -> (data, exchange) -> exchange.send(ServerLab.bytes(data.remaining() + " ")));
        Client client = lab.client();
        client.say("x");
        client.assertHears("1 ");
        client.say("yz");
        assertTrue(List.of("3", "2").contains(client.hear(1)));
        lab.until(counts -> counts.incomplete() >= 2 && counts.requests() == 0 && counts.open() == 1);
        lab.assertNoProblem();
    }

    /** What it has sent until then may have gone out. */
    @EachMechanism
    void aHandlerThatDoesNotStopSendingHarmsItsConnectionOnly(ServerLab lab) throws Exception {
        ByteBuffer[] flood = new ByteBuffer[1];
        lab.serve(() -> (data, exchange) -> {
            char letter = ServerLab.letter(data);
            while (letter == 'f') {
                exchange.send(flood[0]);
            }
            ServerLab.echoConsumed(data, exchange);
        });
        flood[0] = lab.server().resident(ByteBuffer.allocate(1 << 20));
        Client other = lab.client();
        for (int i = 0; i < 10; i++) {
            Client client = lab.client();
            client.say("f");
            other.say("x");
            other.assertHears("x");
            Problem problem = lab.problem();
            assertEquals(Place.HANDLER, problem.place());
            assertInstanceOf(IllegalStateException.class, problem.error());
            assertEquals(client.channel.getLocalAddress(), problem.peer());
            assertThrows(IOException.class, () -> client.hear(20_000_000), "it looks complete");
        }
        lab.until(counts -> counts.closedThrown() == 10 && counts.open() == 1);
        lab.assertNoProblem();
    }

    @EachMechanism
    void anErrorHandlerThatThrowsHarmsNobody(ServerLab lab) throws Exception {
        lab.serve(lab.anywhere(() -> (data, exchange) -> {
            if (ServerLab.letter(data) == 'x') {
                throw new IOException("on purpose");
            }
            ServerLab.echoConsumed(data, exchange);
        }).onError((place, error, peer) -> {
            throw new IllegalStateException(error);
        }));
        Client client = lab.client();
        client.say("x");
        client.assertIsClosed();
        Client other = lab.client();
        other.say("y");
        other.assertHears("y");
    }

    /** Many languages let checked exceptions pass that no method declares. */
    @EachMechanism
    void checkedExceptionsThatNobodyDeclaresHarmNobody(ServerLab lab) throws Exception {
        for (Executor threads : List.<Executor>of(Runnable::run, task -> undeclared())) {
            CountDownLatch told = new CountDownLatch(1);
            lab.serve(lab.anywhere(() -> ServerLab::echoUnlessSlow)
                    .slowPath((channel, unread) -> undeclared(), threads).onError((place, error, peer) -> {
                        told.countDown();
                        undeclared();
                    }));
            Client client = lab.client();
            client.say("s");
            client.assertIsClosed();
            assertTrue(told.await(20, TimeUnit.SECONDS));
            Client other = lab.client();
            other.say("y");
            other.assertHears("y");
        }
    }

    private static void undeclared() {
        FailureTest.<RuntimeException>throwUnchecked(new Exception("on purpose"));
    }

    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
    private static <T extends Throwable> void throwUnchecked(Throwable thrown) throws T {
        throw (T) thrown;
    }

    @EachMechanism
    void resetsInAllStatesHarmNobodyElse(ServerLab lab) throws Exception {
        ByteBuffer large = ByteBuffer.allocate(1_000_000);
        lab.serve(lab.anywhere(() -> (data, exchange) -> {
            switch ((char) data.get(0)) {
                case 'l' -> {
                    ServerLab.letter(data);
                    exchange.send(large);
                }
                case 'm' -> exchange.awaitMore();
                default -> ServerLab.echo(data, exchange);
            }
        }).maxPending(10 * large.capacity()));
        Random random = new Random(1);
        Client steady = lab.client();
        for (int i = 0; i < 200; i++) {
            Client client = lab.client();
            String said = List.of("echo", "large", "more").get(random.nextInt(3));
            client.say(said);
            if (random.nextBoolean() && !said.equals("more")) {
                client.hear(1);
            }
            if (random.nextBoolean()) {
                client.reset();
            } else {
                client.close();
            }
            steady.say("steady");
            steady.assertHears("steady");
        }
        lab.until(counts -> counts.open() == 1);
    }
}
