// SPDX-License-Identifier: Apache-2.0
package dev.pollux.selector;

import static java.nio.channels.SelectionKey.OP_ACCEPT;
import static java.nio.channels.SelectionKey.OP_READ;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import dev.pollux.internal.count.Counter;
import dev.pollux.internal.selector.SelectorInsight;
import dev.pollux.lab.Descriptors;
import dev.pollux.lab.Io;
import dev.pollux.lab.Job;
import dev.pollux.lab.Traffic;
import dev.pollux.lab.Warnings;
import dev.pollux.lab.Workbench.Connection;
import java.nio.ByteBuffer;
import java.nio.channels.Selector;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;

/** Wakeups for nothing, thousands of them a second, are noticed; those that have something written are not meant. */
@Tag("beyond-jdk")
@Tag("load")
class WakeupStormTest {

    private static final long BETWEEN_REQUESTS_MILLIS = 100;
    private static final long LONG = TimeUnit.SECONDS.toNanos(20);

    /** A storm lasts for a second. */
    private static final long SOME_TIME = TimeUnit.SECONDS.toNanos(3);

    /** Some ten thousand tasks a second, more than make a storm. */
    private static final long TASK_NANOS = TimeUnit.MICROSECONDS.toNanos(20);
    private static final long BETWEEN_TASKS_NANOS = TimeUnit.MICROSECONDS.toNanos(60);

    private Warnings warnings;

    @BeforeEach
    void listen() {
        warnings = new Warnings();
    }

    @AfterEach
    void listenNoMore() {
        warnings.close();
    }

    @EachProvider
    void isNamedOnceWithTheThreadsThatSelectAndWake(Lab lab) throws Exception {
        Selector selector = lab.selector();
        if (!Descriptors.WINDOWS) { // there it can't be told what is read and written
            lab.tcp().near().register(selector, OP_READ);
        }
        lab.listener().register(selector, OP_ACCEPT);
        Thread waker = waker(selector, 0);
        try {
            until(LONG, () -> selector.select());
            assertEquals(1, warnings.messages().size(), warnings.messages().toString());
            String message = warnings.messages().get(0);
            assertTrue(message.contains('"' + Thread.currentThread().getName() + '"'), message);
            assertTrue(message.contains("\"waker-of-this-test\""), message);
            assertTrue(message.contains("Call wakeup() once"), message);
            StackTraceElement call = warnings.records().get(0).getThrown().getStackTrace()[0];
            assertEquals(WakeupStormTest.class.getName(), call.getClassName(), "the waker's stack begins with its own");
            forSomeTime(() -> selector.select());
            assertEquals(1, warnings.messages().size(), "once");
            assertEquals(1, SelectorInsight.statistics(selector).count(Counter.WAKEUP_STORMS));
        } finally {
            selector.close();
            waker.join();
        }
    }

    @EachProvider
    void anInterruptStatusThatIsNotClearedIsNamed(Lab lab) throws Exception {
        Selector selector = lab.selector();
        Thread.currentThread().interrupt();
        try {
            until(LONG, () -> selector.select());
        } finally {
            assertTrue(Thread.interrupted());
        }
        assertEquals(1, warnings.messages().size(), warnings.messages().toString());
        assertTrue(warnings.messages().get(0).contains("Thread.interrupted()"), warnings.messages().toString());
    }

    /** A handler takes the status away, and restores it. */
    @EachProvider
    void anInterruptStatusIsNamedBesideTraffic(Lab lab) throws Exception {
        assumeFalse(Descriptors.WINDOWS, "nothing tells what an application has read and written");
        Selector selector = lab.selector();
        Connection tcp = lab.tcp();
        tcp.near().register(selector, OP_READ);
        Job<Integer> peer = Traffic.ask(lab, tcp, BETWEEN_REQUESTS_MILLIS);
        Thread.currentThread().interrupt();
        try {
            until(LONG, () -> selector.select(ready -> {
                Thread.interrupted();
                Traffic.echo(tcp.near());
                Thread.currentThread().interrupt();
            }));
        } finally {
            assertTrue(Thread.interrupted());
        }
        assertEquals(1, warnings.messages().size(), warnings.messages().toString());
        assertTrue(warnings.messages().get(0).contains("Thread.interrupted()"), warnings.messages().toString());
        Traffic.end(tcp, peer);
    }

    @EachProvider
    void isNamedBesideTraffic(Lab lab) throws Exception {
        assumeFalse(Descriptors.WINDOWS, "nothing tells what an application has read and written");
        assumeFalse(lab.isKQueue() || lab.isDevPoll(), "an emulated system selects too seldom to be suspected");
        Selector selector = lab.selector();
        Connection tcp = lab.tcp();
        tcp.near().register(selector, OP_READ);
        Job<Integer> peer = Traffic.ask(lab, tcp, BETWEEN_REQUESTS_MILLIS);
        Thread waker = waker(selector, 0);
        try {
            until(LONG, () -> selector.select(ready -> Traffic.echo(tcp.near())));
        } finally {
            selector.close();
            waker.join();
        }
        assertEquals(1, warnings.messages().size(), warnings.messages().toString());
        assertTrue(warnings.messages().get(0).contains("\"waker-of-this-test\""), warnings.messages().toString());
        Traffic.end(tcp, peer);
    }

    /** Another thread has messages sent all the time, which the peer acknowledges now and then. */
    @EachProvider
    void wakeupsToHaveSomethingWrittenThatIsSeldomAnsweredAreNone(Lab lab) throws Exception {
        Selector selector = lab.selector();
        Connection tcp = lab.tcp();
        tcp.near().register(selector, OP_READ);
        ByteBuffer bytes = ByteBuffer.allocateDirect(8);
        ByteBuffer received = ByteBuffer.allocateDirect(1 << 16);
        int[] count = new int[1];
        forSomeTime(() -> {
            selector.wakeup();
            selector.select(ready -> Traffic.echo(tcp.near()));
            if (++count[0] % 100 == 0) {
                tcp.near().write(bytes.clear());
                tcp.far().read(received.clear());
            }
            if (count[0] % 1500 == 0) {
                Io.send(tcp.far());
            }
        });
        assertEquals(List.of(), warnings.messages());
    }

    @EachProvider
    void wakeupsToHaveSomethingWrittenAreNone(Lab lab) throws Exception {
        Selector selector = lab.selector();
        Connection tcp = lab.tcp();
        tcp.near().register(selector, OP_READ);
        ByteBuffer bytes = ByteBuffer.allocateDirect(8);
        ByteBuffer received = ByteBuffer.allocateDirect(1 << 16);
        int[] count = new int[1];
        forSomeTime(() -> {
            selector.wakeup();
            selector.select();
            if (++count[0] % 1000 == 0) {
                tcp.near().write(bytes.clear());
                tcp.far().read(received.clear());
            }
        });
        assertEquals(List.of(), warnings.messages());
    }

    @EachProvider
    void wakeupsToHaveChannelsRegisteredAreNone(Lab lab) throws Exception {
        Selector selector = lab.selector();
        Connection tcp = lab.tcp();
        int[] count = new int[1];
        forSomeTime(() -> {
            selector.wakeup();
            selector.select();
            if (++count[0] % 1000 == 1) {
                tcp.near().register(selector, OP_READ);
            } else if (count[0] % 1000 == 500) {
                tcp.near().keyFor(selector).cancel();
                selector.selectNow();
            }
        });
        assertEquals(List.of(), warnings.messages());
    }

    /** A loop that is an executor, a quarter of its time busy: other threads hand it tasks, and wake it. */
    @EachProvider
    void wakeupsToHaveTasksRunAreNone(Lab lab) throws Exception {
        Selector selector = lab.selector();
        ConcurrentLinkedQueue<Runnable> tasks = new ConcurrentLinkedQueue<>();
        Job<Void> producer = lab.start(() -> {
            while (selector.isOpen()) {
                tasks.add(() -> spinFor(TASK_NANOS));
                selector.wakeup();
                spinFor(BETWEEN_TASKS_NANOS);
            }
            return null;
        });
        forSomeTime(() -> {
            selector.select();
            for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
                task.run();
            }
        });
        selector.close();
        producer.result();
        assertEquals(List.of(), warnings.messages());
    }

    /** However little there is to do. Such a loop wakes itself, too, as Netty's does. */
    @EachProvider
    void wakeupsOfAnExecutorAreNone(Lab lab) throws Exception {
        Selector selector = lab.selector();
        assertExecutesWithoutWarning(lab, selector, new Executor() {
            @Override
            public void execute(Runnable task) {
                selector.wakeup();
            }
        });
    }

    /** The class of a lambda is hidden from those who look at the stack. */
    @EachProvider
    void wakeupsOfAnExecutorThatIsALambdaAreNone(Lab lab) throws Exception {
        Selector selector = lab.selector();
        assertExecutesWithoutWarning(lab, selector, task -> selector.wakeup());
    }

    /** As of many a loop, which is no executor by its type. */
    @EachProvider
    void wakeupsByAMethodThatTakesATaskAreNone(Lab lab) throws Exception {
        Selector selector = lab.selector();
        ConcurrentLinkedQueue<Runnable> tasks = new ConcurrentLinkedQueue<>();
        assertWakesWithoutWarning(lab, selector, () -> post(selector, tasks, () -> { }));
    }

    private static void post(Selector selector, ConcurrentLinkedQueue<Runnable> tasks, Runnable task) {
        tasks.clear();
        tasks.add(task);
        selector.wakeup();
    }

    private void assertExecutesWithoutWarning(Lab lab, Selector selector, Executor loop) throws Exception {
        assertWakesWithoutWarning(lab, selector, () -> loop.execute(() -> { }));
    }

    private void assertWakesWithoutWarning(Lab lab, Selector selector, Runnable waking) throws Exception {
        AtomicLong executed = new AtomicLong();
        Job<Void> producer = lab.start(() -> {
            while (selector.isOpen()) {
                waking.run();
                executed.incrementAndGet();
                spinFor(TASK_NANOS); // so that the loop waits, and wakes itself while the producer is still waking it
            }
            return null;
        });
        forSomeTime(() -> {
            selector.select();
            selector.wakeup();
            selector.select();
        });
        selector.close();
        producer.result();
        assertTrue(executed.get() > 0);
        assertEquals(List.of(), warnings.messages());
    }

    /** Requests come in between, as they do to Netty. */
    @EachProvider
    void wakeupsOfAnExecutorBesideTrafficAreNone(Lab lab) throws Exception {
        Selector selector = lab.selector();
        Connection tcp = lab.tcp();
        tcp.near().register(selector, OP_READ);
        Job<Integer> peer = Traffic.ask(lab, tcp, BETWEEN_REQUESTS_MILLIS);
        Executor loop = task -> selector.wakeup();
        Job<Void> producer = lab.start(() -> {
            while (selector.isOpen()) {
                loop.execute(() -> { });
                spinFor(TASK_NANOS);
            }
            return null;
        });
        forSomeTime(() -> selector.select(ready -> Traffic.echo(tcp.near())));
        selector.close();
        producer.result();
        Traffic.end(tcp, peer);
        assertEquals(List.of(), warnings.messages());
    }

    /** A loop may wake itself to look without waiting; it is not to blame. */
    @EachProvider
    void theWakerThatIsNamedIsNotTheLoopsOwnThread(Lab lab) throws Exception {
        Selector selector = lab.selector();
        Thread waker = waker(selector, TASK_NANOS);
        try {
            until(LONG, () -> {
                selector.select();
                selector.wakeup();
                selector.select();
            });
        } finally {
            selector.close();
            waker.join();
        }
        assertEquals(1, warnings.messages().size(), warnings.messages().toString());
        assertTrue(warnings.messages().get(0).contains("\"waker-of-this-test\""), warnings.messages().toString());
    }

    @EachProvider
    void aThreadThatWakesItselfAllTheTimeIsTold(Lab lab) throws Exception {
        Selector selector = lab.selector();
        until(LONG, () -> {
            selector.wakeup();
            selector.select();
        });
        assertEquals(1, warnings.messages().size(), warnings.messages().toString());
        String message = warnings.messages().get(0);
        assertTrue(message.contains("This thread makes the calls itself"), message);
    }

    private static Thread waker(Selector selector, long pauseNanos) {
        Thread waker = new Thread(() -> {
            while (selector.isOpen()) {
                selector.wakeup();
                spinFor(pauseNanos);
            }
        }, "waker-of-this-test");
        waker.start();
        return waker;
    }

    private static void spinFor(long nanos) {
        for (long end = System.nanoTime() + nanos; System.nanoTime() < end;) {
            Thread.onSpinWait();
        }
    }

    private void until(long nanos, Io.Step selection) throws Exception {
        long end = System.nanoTime() + nanos;
        while (warnings.messages().isEmpty() && System.nanoTime() < end) {
            selection.run();
        }
    }

    private static void forSomeTime(Io.Step selection) throws Exception {
        long end = System.nanoTime() + SOME_TIME;
        while (System.nanoTime() < end) {
            selection.run();
        }
    }
}
