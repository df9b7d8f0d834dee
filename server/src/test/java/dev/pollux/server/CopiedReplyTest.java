// SPDX-License-Identifier: Apache-2.0
package dev.pollux.server;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.lab.Garbage;
import dev.pollux.server.ServerLab.Client;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/** Replies that are copied, more of them than an arena has room for. */
class CopiedReplyTest {
    /** Replies of {@link #MEDIUM} bytes, more than a round has room for. */
    private static final int PIPELINED = 100;

    private static final int MEDIUM = 8 << 10;
    private static final int LARGE = 64 << 10;

    /** Bytes of the {@link #PIPELINED} replies that an arena has no room for, at least. */
    private static final int COPIES = 500_000;

    /** After that the server has given back what it gives back. */
    private static final long IDLE_MILLIS = 2000;

    private static final int[] SIZES = {100, 100, MEDIUM, MEDIUM, LARGE, LARGE, 3_000_000, 3_000_000};
    private static final int MAX_PENDING = 100_000_000;

    private static long directMemory() {
        return ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
                .filter(pool -> pool.getName().equals("direct")).mapToLong(BufferPoolMXBean::getMemoryUsed).sum();
    }

    private static void fill(ByteBuffer bytes, byte with) {
        for (int i = 0; i < bytes.capacity(); i++) {
            bytes.put(i, with);
        }
    }

    /** A request is a digit, which says how long the reply is, and a letter, which it is full of. */
    private static ConnectionHandler printer() {
        ByteBuffer[] pages = new ByteBuffer[SIZES.length];
        for (int i = 0; i < pages.length; i++) {
            pages[i] = i % 2 == 0 ? ByteBuffer.allocate(SIZES[i]) : ByteBuffer.allocateDirect(SIZES[i]);
        }
        return (data, exchange) -> {
            if (data.remaining() < 2) {
                exchange.awaitMore();
                return;
            }
            ByteBuffer page = pages[data.get() - '0'];
            fill(page, data.get());
            exchange.send(page);
        };
    }

    @EachMechanism
    void theyAreWhatTheHandlerHasSentThoughItUsesItsBuffersAgain(ServerLab lab) throws Exception {
        lab.serve(lab.anywhere(CopiedReplyTest::printer).maxPending(MAX_PENDING));
        Client[] clients = {lab.client(), lab.client(), lab.client()};
        Random random = new Random(1);
        for (int round = 0; round < 20; round++) {
            String[] asked = new String[clients.length];
            for (int i = 0; i < clients.length; i++) {
                StringBuilder requests = new StringBuilder();
                for (int n = 1 + random.nextInt(30); n > 0; n--) {
                    requests.append(random.nextInt(random.nextInt(10) == 0 ? 8 : 6)).append((char) ('a' + n % 26));
                }
                asked[i] = requests.toString();
                clients[i].say(asked[i]);
            }
            for (int i = 0; i < clients.length; i++) {
                for (int at = 0; at < asked[i].length(); at += 2) {
                    int size = SIZES[asked[i].charAt(at) - '0'];
                    String expected = asked[i].substring(at + 1, at + 2).repeat(size);
                    assertTrue(expected.equals(clients[i].hear(size)), asked[i]);
                }
            }
        }
        lab.assertNoProblem();
    }

    @EachMechanism
    void deferredOnesKeepTheirPlace(ServerLab lab) throws Exception {
        ConnectionHandler printer = printer();
        lab.serve(lab.anywhere(() -> (data, exchange) -> {
            if (data.get(0) != 'd') {
                printer.onData(data, exchange);
                return;
            }
            data.get();
            exchange.defer().send(ServerLab.bytes("D".repeat(LARGE)));
        }).maxPending(MAX_PENDING));
        Client client = lab.client();
        for (int i = 0; i < 100; i++) {
            client.say("0x4ydd5z0x");
            client.assertHears("x".repeat(100));
            client.assertHears("y".repeat(LARGE));
            client.assertHears("D".repeat(2 * LARGE));
            client.assertHears("z".repeat(LARGE));
            client.assertHears("x".repeat(100));
        }
        lab.assertNoProblem();
    }

    @EachMechanism
    void theyMakeNoGarbage(ServerLab lab) throws Exception {
        Thread[] loop = new Thread[1];
        ByteBuffer medium = ByteBuffer.allocate(MEDIUM);
        ByteBuffer large = ByteBuffer.allocate(LARGE);
        ByteBuffer direct = ByteBuffer.allocateDirect(LARGE);
        lab.serve(lab.anywhere(() -> (data, exchange) -> {
            loop[0] = Thread.currentThread();
            exchange.send(switch (ServerLab.letter(data)) {
                case 'm' -> medium;
                case 'l' -> large;
                default -> direct;
            });
        }).maxPending(MAX_PENDING));
        Client client = lab.client();
        client.say("m");
        client.hear(MEDIUM);
        ByteBuffer text = ServerLab.bytes("m".repeat(PIPELINED) + "lld");
        ByteBuffer requests = ByteBuffer.allocateDirect(text.remaining()).put(text);
        ByteBuffer replies = ByteBuffer.allocateDirect(PIPELINED * MEDIUM + 3 * LARGE);
        Garbage.assertNone(() -> {
            client.channel.write(requests.rewind());
            for (replies.clear(); replies.hasRemaining();) {
                client.channel.read(replies);
            }
        }, loop[0]);
    }

    /** Looks at direct memory with the first and with the last of {@link #PIPELINED} requests, which one round has. */
    private static ConnectionHandler meter(ByteBuffer page, BlockingQueue<Long> before, BlockingQueue<Long> with) {
        return new ConnectionHandler() {
            private int left;

            @Override
            public void onData(ByteBuffer data, Exchange exchange) {
                if (left == 0) {
                    if (data.remaining() < PIPELINED) {
                        exchange.awaitMore();
                        return;
                    }
                    left = PIPELINED;
                    before.add(directMemory());
                }
                ServerLab.letter(data);
                if (--left == 0) {
                    with.add(directMemory()); // the copies of all replies but this one are there
                }
                exchange.send(page);
            }
        };
    }

    /** A garbage collection may free direct memory of other tests while this one looks: then it looks again. */
    @EachMechanism
    void theirMemoryIsGivenBackWhenTheServerIsIdle(ServerLab lab) throws Exception {
        BlockingQueue<Long> before = new LinkedBlockingQueue<>();
        BlockingQueue<Long> with = new LinkedBlockingQueue<>();
        ByteBuffer page = ByteBuffer.allocate(MEDIUM);
        lab.serve(lab.anywhere(() -> meter(page, before, with)).maxPending(MAX_PENDING));
        Client client = lab.client();
        long end = System.nanoTime() + ServerLab.PATIENCE;
        boolean isSeen = false;
        while (!isSeen) {
            assertTrue(System.nanoTime() < end, "they were copied elsewhere");
            client.say("?".repeat(PIPELINED));
            for (int i = 0; i < PIPELINED; i++) {
                client.hear(MEDIUM); // more at once would take the JDK direct memory of its own
            }
            long most = before.take() + COPIES / 2;
            isSeen = with.take() > most;
            do {
                assertTrue(System.nanoTime() < end, directMemory() + " instead of less than " + most);
                Thread.sleep(isSeen ? 50 : IDLE_MILLIS);
            } while (directMemory() > most);
        }
    }
}
