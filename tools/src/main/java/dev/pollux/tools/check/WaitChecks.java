// SPDX-License-Identifier: Apache-2.0
package dev.pollux.tools.check;

import static java.nio.channels.SelectionKey.OP_READ;
import static java.nio.channels.SelectionKey.OP_WRITE;

import dev.pollux.internal.jdk.ThreadSignals;
import dev.pollux.tools.common.Bench;
import dev.pollux.tools.common.Bench.Connection;
import java.io.IOException;
import java.nio.channels.SelectionKey;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/** Checks of waiting, of timeouts, and of what other threads do meanwhile. Stateless. */
final class WaitChecks {
    private static final int ROUNDS = 200;
    private static final long TIMEOUT_MILLIS = 100;
    private static final int WAKERS = 8;

    private WaitChecks() {
    }

    static void wakeup(Bench bench) throws Exception {
        bench.selector.wakeup().wakeup();
        Bench.require(bench.selector.select() == 0, "a wakeup before a selection ends it");
        long start = System.nanoTime();
        bench.selector.select(20);
        Bench.require(millisSince(start) >= 20, "two wakeups before a selection end one selection");
        for (int i = 0; i < ROUNDS; i++) {
            FutureTask<?> waker = start(() -> bench.selector.wakeup());
            bench.awaitWakeup();
            waker.get();
        }
        List<FutureTask<?>> wakers = new ArrayList<>();
        for (int i = 0; i < WAKERS; i++) {
            wakers.add(start(() -> {
                for (int k = 0; k < ROUNDS; k++) {
                    bench.selector.wakeup();
                }
                return null;
            }));
        }
        bench.awaitWakeup();
        while (!wakers.stream().allMatch(FutureTask::isDone)) {
            bench.selector.wakeup(); // in case that was the last one
            bench.awaitWakeup();
        }
    }

    static void timeoutsUnderSignals(Bench bench) throws Exception {
        for (long timeout = 1; timeout <= 30; timeout++) {
            long start = System.nanoTime();
            Bench.require(bench.selector.select(timeout) == 0, "nothing is ready");
            Bench.require(millisSince(start) >= timeout, "select(" + timeout + ") waits for its timeout");
        }
        ThreadSignals toThis = signalsToThisThread();
        AtomicBoolean ended = new AtomicBoolean();
        FutureTask<Integer> signals = start(() -> {
            int sent = 0;
            long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(Bench.MAX_WAIT_MILLIS);
            while (!ended.get() && System.nanoTime() < end) {
                toThis.send();
                sent++;
                TimeUnit.MILLISECONDS.sleep(1);
            }
            return sent;
        });
        long start = System.nanoTime();
        bench.selector.select(TIMEOUT_MILLIS);
        long took = millisSince(start);
        ended.set(true);
        int sent = signals.get();
        Bench.require(took >= TIMEOUT_MILLIS, "signals do not shorten a timeout of " + TIMEOUT_MILLIS + " ms: " + took
                + " ms, " + sent + " signals");
        Bench.require(took < Bench.MAX_WAIT_MILLIS, "signals do not prolong a timeout of " + TIMEOUT_MILLIS + " ms: "
                + took + " ms, " + sent + " signals");
    }

    private static ThreadSignals signalsToThisThread() throws SkippedException {
        try {
            ThreadSignals signals = ThreadSignals.toCurrentThread();
            if (signals != null) {
                return signals;
            }
        } catch (ReflectiveOperationException | RuntimeException e) {
            throw new SkippedException("timeouts are right; this JDK sends its signals in another way: " + e);
        }
        throw new SkippedException("timeouts are right; this system has no signals for threads");
    }

    /** Another thread asks for events, this one takes the interest away again. */
    static void interestFromOtherThreads(Bench bench) throws Exception {
        Connection connection = bench.connection();
        SelectionKey key = bench.register(connection.near(), 0);
        for (int i = 0; i < ROUNDS; i++) {
            FutureTask<?> other = start(() -> {
                connection.far().write(Bench.bytes("x"));
                key.interestOps(OP_READ);
                return bench.selector.wakeup();
            });
            long start = System.nanoTime();
            while (bench.selector.select(Bench.MAX_WAIT_MILLIS) == 0) {
                Bench.require(millisSince(start) < Bench.MAX_WAIT_MILLIS, "interest set by another thread is heeded");
            }
            Bench.require(key.readyOps() == OP_READ, "what is reported is what was asked for");
            bench.selector.selectedKeys().clear();
            other.get();
            bench.selector.selectNow(); // takes a wakeup that came late
            bench.selector.selectedKeys().clear();
            key.interestOps(0);
            bench.expectNothing("without interest in it");
            Bench.read(connection.near());
        }
    }

    /** A channel that is closed leaves its descriptor to the next one, whose events are its own. */
    static void cancelAndReuse(Bench bench) throws IOException {
        for (int i = 0; i < ROUNDS; i++) {
            Connection old = bench.connection();
            SelectionKey cancelled = bench.register(old.near(), OP_READ | OP_WRITE);
            bench.awaitReady(cancelled, OP_WRITE);
            old.far().write(Bench.bytes("unread"));
            old.near().close();
            old.far().close();
            Connection next = bench.connection();
            SelectionKey key = bench.register(next.near(), OP_READ);
            bench.expectNothing("on a new channel");
            Bench.require(!cancelled.isValid() && bench.selector.keys().size() == 1, "a closed channel has no key");
            next.far().write(Bench.bytes("x"));
            bench.awaitReady(key, OP_READ);
            next.near().close();
            next.far().close();
            bench.selector.selectNow();
        }
    }

    /** A virtual thread selects and answers, this one asks. */
    static void virtualThreads(Bench bench) throws Exception {
        Connection connection = bench.connection();
        SelectionKey key = bench.register(connection.near(), OP_READ);
        FutureTask<?> selection = new FutureTask<>(() -> {
            for (int i = 0; i < ROUNDS; i++) {
                bench.awaitReady(key, OP_READ);
                connection.near().write(Bench.bytes(Bench.read(connection.near())));
            }
            bench.awaitWakeup();
            return null;
        });
        startVirtual(selection);
        for (int i = 0; i < ROUNDS && !selection.isDone(); i++) {
            connection.far().write(Bench.bytes("x"));
            Bench.require("x".equals(Bench.read(connection.far())), "a virtual thread answers");
        }
        bench.selector.wakeup();
        selection.get();
    }

    private static void startVirtual(Runnable work) throws SkippedException {
        try {
            Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, work);
        } catch (ReflectiveOperationException e) {
            throw new SkippedException("this JDK has no virtual threads");
        }
    }

    /** Starts a thread that ends with the program. */
    private static <V> FutureTask<V> start(Callable<V> work) {
        FutureTask<V> task = new FutureTask<>(work);
        Thread thread = new Thread(task, "Pollux check");
        thread.setDaemon(true);
        thread.start();
        return task;
    }

    private static long millisSince(long start) {
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
    }
}
