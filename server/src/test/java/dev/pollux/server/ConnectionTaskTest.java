// SPDX-License-Identifier: Apache-2.0
package dev.pollux.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.server.ServerErrorHandler.Place;
import dev.pollux.server.ServerLab.Client;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

/** What a connection has its loop do, soon or later. */
class ConnectionTaskTest {
    private static final Duration LONG = Duration.ofDays(100_000);
    private static final Duration SHORT = Duration.ofMillis(30);
    private static final int MANY = 5000;

    private final Recorder recorder = new Recorder(ServerLab::echo);
    private final BlockingQueue<Thread> loops = new LinkedBlockingQueue<>();

    private Connection open(ServerLab lab) throws Exception {
        lab.serve(lab.anywhere(() -> recorder));
        return another(lab);
    }

    private Connection another(ServerLab lab) throws Exception {
        lab.client();
        return recorder.opened.take();
    }

    private void noteLoop() {
        loops.add(Thread.currentThread());
    }

    @EachMechanism
    void aTaskOfAnyThreadIsRunByTheLoop(ServerLab lab) throws Exception {
        Connection connection = open(lab);
        connection.execute(this::noteLoop);
        Thread loop = loops.take();
        assertTrue(loop.getName().startsWith("pollux-server-"), loop::getName);
        connection.execute(() -> connection.execute(this::noteLoop));
        assertSame(loop, loops.take());
        assertSame(loop, CompletableFuture.supplyAsync(() -> "found")
                .thenApplyAsync(found -> Thread.currentThread(), connection).get());
        lab.assertNoProblem();
    }

    /** A task is handed over in each frame above the end of a stack, so it fails in each of its steps. */
    @EachMechanism
    void aTaskIsRunIfAndOnlyIfItWasTaken(ServerLab lab) throws Exception {
        Connection connection = open(lab);
        AtomicInteger taken = new AtomicInteger();
        AtomicInteger refused = new AtomicInteger();
        AtomicInteger run = new AtomicInteger();
        Thread deep = new Thread(null, () -> executeAtEndOfStack(connection, taken, refused, run), "deep", 1 << 18);
        deep.start();
        deep.join();
        assertTrue(refused.get() > 0, refused::toString);
        connection.execute(this::noteLoop); // behind all of them
        loops.take();
        assertEquals(taken.get(), run.get());
        lab.assertNoProblem();
    }

    /** Calls itself until the stack ends, then hands a task over in each of the last frames. */
    @SuppressWarnings("InfiniteRecursion") // it ends where the stack does
    private static boolean executeAtEndOfStack(Connection connection, AtomicInteger taken, AtomicInteger refused,
            AtomicInteger run) {
        boolean hasRoom;
        try {
            hasRoom = executeAtEndOfStack(connection, taken, refused, run);
        } catch (StackOverflowError e) {
            hasRoom = false;
        }
        if (!hasRoom) {
            try {
                connection.execute(run::incrementAndGet);
                taken.incrementAndGet();
                hasRoom = taken.get() > MANY;
            } catch (StackOverflowError e) {
                refused.incrementAndGet();
            }
        }
        return hasRoom;
    }

    @EachMechanism
    void aTaskIsRunWhenItsDelayHasPassedAndNotBefore(ServerLab lab) throws Exception {
        Connection connection = open(lab);
        for (Duration delay : List.of(SHORT, Duration.ZERO, Duration.ofMillis(-1), Duration.ofNanos(1), SHORT)) {
            long begin = System.nanoTime();
            Future<?> task = connection.schedule(delay, this::noteLoop);
            task.get();
            assertTrue(System.nanoTime() - begin >= delay.toNanos(), delay::toString);
            assertTrue(loops.take().getName().startsWith("pollux-server-"));
            assertTrue(task.isDone() && !task.isCancelled());
        }
        lab.assertNoProblem();
    }

    @EachMechanism
    void tasksAreRunInTheOrderOfTheirTimesWhileTheLoopServesOthers(ServerLab lab) throws Exception {
        Connection connection = open(lab);
        List<Integer> run = new ArrayList<>(); // the loop's, until the last one is done
        Future<?> last = null;
        for (int i = 0; i < MANY; i++) {
            int number = i;
            last = connection.schedule(Duration.ofMillis(200 + i / 20), () -> run.add(number));
        }
        Client client = lab.client();
        for (int i = 0; i < 100; i++) {
            client.say("echo");
            client.assertHears("echo");
        }
        last.get();
        assertEquals(IntStream.range(0, MANY).boxed().toList(), run);
        lab.assertNoProblem();
    }

    /** They are due while the loop is in another task. */
    @EachMechanism
    void aTaskThatIsCancelledIsNotRun(ServerLab lab) throws Exception {
        Connection connection = open(lab);
        BlockingQueue<Future<?>> cancelled = new LinkedBlockingQueue<>();
        connection.execute(() -> {
            Future<?> here = connection.schedule(Duration.ZERO, this::noteLoop);
            Future<?> there = connection.schedule(Duration.ZERO, this::noteLoop);
            here.cancel(true);
            CompletableFuture.supplyAsync(() -> there.cancel(false)).join();
            cancelled.addAll(List.of(here, there));
        });
        assertTrue(cancelled.take().isCancelled());
        assertTrue(cancelled.take().isCancelled());
        Future<?> behind = connection.schedule(SHORT, () -> assertFalse(Thread.currentThread().isInterrupted()));
        behind.get();
        assertFalse(behind.cancel(false));
        assertEquals(0, loops.size());
        lab.assertNoProblem();
    }

    @EachMechanism
    void tasksGoWithTheirConnectionAndThoseOfOthersStay(ServerLab lab) throws Exception {
        Connection connection = open(lab);
        Connection other = another(lab);
        List<Future<?>> tasks = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            tasks.add(connection.schedule(LONG, this::noteLoop));
        }
        connection.close();
        for (Future<?> each : tasks) {
            lab.until(counts -> each.isCancelled());
        }
        other.schedule(SHORT, this::noteLoop).get();
        Future<?> late = connection.schedule(Duration.ZERO, this::noteLoop);
        lab.until(counts -> late.isCancelled());
        connection.execute(this::noteLoop);
        other.schedule(SHORT, () -> { }).get();
        assertEquals(1, loops.size());
        lab.server().close();
        Future<?> behindTheServer = other.schedule(Duration.ZERO, this::noteLoop);
        lab.until(counts -> behindTheServer.isCancelled());
        assertEquals(1, loops.size());
        lab.assertNoProblem();
    }

    @EachMechanism
    void whatATaskThrowsClosesItsConnectionAlone(ServerLab lab) throws Exception {
        Connection connection = open(lab);
        Client other = lab.client();
        Future<?> task = connection.schedule(Duration.ZERO, () -> {
            throw new AssertionError("on purpose");
        });
        assertEquals(Place.HANDLER, lab.problem().place());
        lab.until(counts -> counts.closedThrown() == 1 && counts.open() == 1);
        assertTrue(task.isDone());
        other.say("echo");
        other.assertHears("echo");
    }

    @EachMechanism
    void aDelayAndATaskAreNeeded(ServerLab lab) throws Exception {
        Connection connection = open(lab);
        assertThrows(NullPointerException.class, () -> connection.schedule(null, this::noteLoop));
        assertThrows(NullPointerException.class, () -> connection.schedule(SHORT, null));
        assertThrows(NullPointerException.class, () -> connection.execute(null));
    }

    /** A lingering close: the output is shut, and who does not end is closed after a while. */
    @EachMechanism
    void aConnectionIsClosedWhoseOtherSideDoesNotEndInTime(ServerLab lab) throws Exception {
        lab.serve(lab.anywhere(() -> (data, exchange) -> {
            ServerLab.echo(data, exchange);
            Connection connection = exchange.connection();
            connection.shutdownOutput();
            Future<?> unused = connection.schedule(SHORT, connection::close);
        }));
        Client client = lab.client();
        client.say("bye");
        client.assertHears("bye");
        client.assertIsClosed();
        lab.until(counts -> counts.open() == 0);
        lab.assertNoProblem();
    }
}
