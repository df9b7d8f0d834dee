// SPDX-License-Identifier: Apache-2.0
package dev.pollux.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.internal.count.Counter;
import dev.pollux.internal.count.Loop;
import dev.pollux.internal.count.LoopStatistics;
import dev.pollux.internal.count.Loops;
import dev.pollux.server.ServerLab.Client;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Tag;

/** When a loop waits, and for how long; the handlers are held up to see that it is busy then. */
class LoopStateTest {
    private static final long MOMENT = TimeUnit.MILLISECONDS.toNanos(20);

    private static final int PAGE = 30_000;

    private static void until(BooleanSupplier condition) throws InterruptedException {
        long end = System.nanoTime() + ServerLab.PATIENCE;
        while (!condition.getAsBoolean()) {
            assertTrue(System.nanoTime() < end, "waited for too long");
            Thread.sleep(1);
        }
    }

    /** Those of the one loop that opening a server adds. */
    private static LoopStatistics statistics(List<Loop> before) throws InterruptedException {
        until(() -> Loops.open().size() > before.size());
        List<Loop> opened = Loops.open();
        opened.removeAll(before);
        assertEquals(1, opened.size());
        return opened.get(0).statistics();
    }

    @EachMechanism
    void itWaitsFromTheBeginningAndIsBusyInAHandler(ServerLab lab) throws Exception {
        Semaphore entered = new Semaphore(0);
        Semaphore goesOn = new Semaphore(0);
        List<Loop> before = Loops.open();
        lab.serve(() -> (data, exchange) -> {
            entered.release();
            goesOn.acquire();
            ServerLab.echo(data, exchange);
        });
        LoopStatistics statistics = statistics(before);
        until(() -> statistics.isWaiting() && statistics.stateNanos() > MOMENT);
        assertEquals(0, statistics.busyNanos());
        assertTrue(statistics.count(Counter.BLOCKED_NANOS) > MOMENT);
        assertTrue(statistics.thread() != null);
        try (Client client = lab.client()) {
            client.say("x");
            entered.acquire();
            assertFalse(statistics.isWaiting());
            long waits = statistics.count(Counter.BLOCKED_WAITS);
            long blocked = statistics.count(Counter.BLOCKED_NANOS);
            until(() -> statistics.busyNanos() > MOMENT);
            assertEquals(waits, statistics.count(Counter.BLOCKED_WAITS));
            assertEquals(blocked, statistics.count(Counter.BLOCKED_NANOS));
            goesOn.release();
            client.assertHears("x");
        }
        until(() -> statistics.isWaiting() && statistics.stateNanos() > MOMENT);
        assertTrue(statistics.longestBusyNanos() > MOMENT);
        assertTrue(statistics.count(Counter.BLOCKED_NANOS) <= statistics.elapsedNanos() - MOMENT);
    }

    @EachMechanism
    void whoHasReplyLaterWokenItIsToldAndHowOften(ServerLab lab) throws Exception {
        CompletableFuture<Reply> later = new CompletableFuture<>();
        List<Loop> before = Loops.open();
        lab.serve(() -> (data, exchange) -> {
            ServerLab.skip(data);
            later.complete(exchange.defer());
        });
        LoopStatistics statistics = statistics(before);
        Loop loop = Loops.open().stream().filter(each -> each.statistics() == statistics).findFirst().orElseThrow();
        until(() -> loop.gate().equals("blocked or about to be: the next task signals; never woken; signals: 0 sent"));
        try (Client client = lab.client()) {
            client.say("x");
            Reply reply = later.get(20, TimeUnit.SECONDS);
            until(() -> statistics.isWaiting() && loop.gate().startsWith("blocked"));
            reply.send(ByteBuffer.wrap(new byte[] {'y'}));
            client.assertHears("y");
            until(() -> loop.gate().startsWith("blocked"));
            assertTrue(loop.gate().contains("; woken last by thread \"" + Thread.currentThread().getName()
                    + "\"; signals: 1 sent"), loop.gate());
        }
    }

    /** On io_uring one call sends and waits; a fourth allows for its being estimated. */
    @Tag("load")
    @EachMechanism
    void theTimeToSendIsNoWait(ServerLab lab) throws Exception {
        ByteBuffer[] page = new ByteBuffer[1];
        List<Loop> before = Loops.open();
        lab.serve(() -> (data, exchange) -> {
            ServerLab.skip(data);
            exchange.send(page[0]);
        });
        LoopStatistics statistics = statistics(before);
        page[0] = lab.server().resident(ByteBuffer.allocate(PAGE));
        try (Client client = lab.client()) {
            askOften(client);
            long working = processorTime(statistics.thread());
            long busy = statistics.count(Counter.BLOCKED_NANOS) - statistics.elapsedNanos();
            askOften(client);
            busy += statistics.elapsedNanos() - statistics.count(Counter.BLOCKED_NANOS);
            long worked = processorTime(statistics.thread()) - working;
            assertTrue(busy >= worked / 4, "busy for " + busy + " ns, with " + worked + " ns of processor time");
        }
    }

    private static void askOften(Client client) throws Exception {
        for (int i = 0; i < 4000; i++) {
            client.say("x");
            assertEquals(PAGE, client.hear(PAGE).length());
        }
    }

    private static long processorTime(Thread thread) {
        return ManagementFactory.getThreadMXBean().getThreadCpuTime(thread.getId());
    }
}
