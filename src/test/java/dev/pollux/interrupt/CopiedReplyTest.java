// SPDX-License-Identifier: Apache-2.0
package dev.pollux.interrupt;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.Interruptlet;
import dev.pollux.interrupt.InterruptLab.Client;
import dev.pollux.lab.Garbage;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.util.Random;

/** Replies that are copied, more of them than an arena has room for. */
class CopiedReplyTest {
    /** Replies of {@link #MEDIUM} bytes, more than a batch has room for. */
    private static final int PIPELINED = 100;

    private static final int MEDIUM = 8 << 10;
    private static final int LARGE = 64 << 10;
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
    private static Interruptlet printer() {
        ByteBuffer[] pages = new ByteBuffer[SIZES.length];
        for (int i = 0; i < pages.length; i++) {
            pages[i] = i % 2 == 0 ? ByteBuffer.allocate(SIZES[i]) : ByteBuffer.allocateDirect(SIZES[i]);
        }
        return (data, from) -> {
            if (data.remaining() < 2) {
                return Interruptlet.MORE;
            }
            ByteBuffer page = pages[data.get() - '0'];
            fill(page, data.get());
            return page;
        };
    }

    @EachMechanism
    void theyAreWhatTheHandlerHasReturnedThoughItUsesItsBuffersAgain(InterruptLab lab) throws Exception {
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
    void deferredOnesKeepTheirPlace(InterruptLab lab) throws Exception {
        Interruptlet printer = printer();
        lab.serve(lab.anywhere(() -> (data, from) -> {
            if (data.get(0) != 'd') {
                return printer.handleInterrupt(data, from);
            }
            data.get();
            from.defer().send(InterruptLab.bytes("D".repeat(LARGE)));
            return Interruptlet.NONE;
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
    void theyMakeNoGarbage(InterruptLab lab) throws Exception {
        Thread[] loop = new Thread[1];
        ByteBuffer medium = ByteBuffer.allocate(MEDIUM);
        ByteBuffer large = ByteBuffer.allocate(LARGE);
        ByteBuffer direct = ByteBuffer.allocateDirect(LARGE);
        lab.serve(lab.anywhere(() -> (data, from) -> {
            loop[0] = Thread.currentThread();
            return switch (InterruptLab.letter(data)) {
                case 'm' -> medium;
                case 'l' -> large;
                default -> direct;
            };
        }).maxPending(MAX_PENDING));
        Client client = lab.client();
        client.say("m");
        client.hear(MEDIUM);
        ByteBuffer text = InterruptLab.bytes("m".repeat(PIPELINED) + "lld");
        ByteBuffer requests = ByteBuffer.allocateDirect(text.remaining()).put(text);
        ByteBuffer replies = ByteBuffer.allocateDirect(PIPELINED * MEDIUM + 3 * LARGE);
        Garbage.assertNone(() -> {
            client.channel.write(requests.rewind());
            for (replies.clear(); replies.hasRemaining();) {
                client.channel.read(replies);
            }
        }, loop[0]);
    }

    @EachMechanism
    void theirMemoryIsGivenBackWhenTheServerIsIdle(InterruptLab lab) throws Exception {
        ByteBuffer page = ByteBuffer.allocate(MEDIUM);
        lab.serve(lab.anywhere(() -> (data, from) -> {
            InterruptLab.letter(data);
            return page;
        }).maxPending(MAX_PENDING));
        Client client = lab.client();
        client.say("?");
        client.hear(MEDIUM);
        long before = directMemory();
        client.say("?".repeat(PIPELINED));
        for (int i = 0; i < PIPELINED; i++) {
            client.hear(MEDIUM); // more at once would take the JDK direct memory of its own
        }
        assertTrue(directMemory() > before, "it was copied elsewhere");
        long end = System.nanoTime() + InterruptLab.PATIENCE;
        while (directMemory() > before) {
            assertTrue(System.nanoTime() < end, directMemory() + " instead of " + before);
            Thread.sleep(50);
        }
    }
}
