// SPDX-License-Identifier: Apache-2.0
package dev.pollux.loading.program;

import dev.pollux.EPollSelectorProvider;
import dev.pollux.PollSelectorProvider;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Keeps the carriers of virtual threads busy, and prints whether another virtual thread still gets its turns, which
 * sleeps for a millisecond again and again. Arguments: what else there is, as {@code 8 readers 1 spinners}.
 */
public final class SharedCarriers {

    private static final int TURNS = 100;
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(30);
    private static final int TIMEOUT_MILLIS = 200;
    private static final int LATE_MILLIS = 1000;

    /** As many readers as may block their carriers. */
    private static final int FEW = 8;

    /** Of the thread that sleeps. */
    private static final AtomicLong turns = new AtomicLong();

    private SharedCarriers() {
    }

    /** What a virtual thread does. */
    private interface Body {
        void run() throws Exception;
    }

    /** Prints what became of the threads. */
    public static void main(String[] arguments) throws Exception {
        start(() -> repeat(() -> {
            Thread.sleep(1);
            turns.incrementAndGet();
        }));
        reaches(turns, 1); // so there is a carrier
        for (int i = 0; i < arguments.length; i += 2) {
            int threads = Integer.parseInt(arguments[i]);
            switch (arguments[i + 1]) {
                case "spinners" -> startAll(threads, () -> repeat(Thread::onSpinWait));
                case "blocked" -> block(threads);
                case "readers" -> read(threads);
                case "wakers" -> wake(threads);
                case "timeouts" -> timeOut(threads);
                default -> throw new IllegalArgumentException(arguments[i + 1]);
            }
        }
        System.out.println("the sleeper runs " + reaches(turns, turns.get() + TURNS));
        System.exit(0);
    }

    /** They block their carriers, by a selector that can't do without. */
    private static void block(int threads) throws Exception {
        int before = carriers();
        for (int i = 0; i < threads; i++) {
            Selector selector = new PollSelectorProvider().openSelector();
            start(selector::select);
        }
        long deadline = System.nanoTime() + PATIENCE_NANOS;
        while (carriers() < before + threads && System.nanoTime() < deadline) {
            Thread.sleep(1);
        }
    }

    /** They select, and always find soon what a platform thread writes. */
    private static void read(int threads) throws Exception {
        int before = Math.max(carriers(), Integer.getInteger("jdk.virtualThreadScheduler.parallelism"));
        AtomicLong read = new AtomicLong();
        List<Pipe> pipes = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            Pipe pipe = Pipe.open();
            pipes.add(pipe);
            Selector selector = new EPollSelectorProvider().openSelector();
            pipe.source().configureBlocking(false).register(selector, SelectionKey.OP_READ);
            ByteBuffer buffer = ByteBuffer.allocate(64);
            start(() -> repeat(() -> {
                selector.select(key -> { });
                pipe.source().read(buffer.clear());
                read.incrementAndGet();
            }));
        }
        Thread writer = new Thread(body(() -> repeat(() -> {
            for (Pipe pipe : pipes) {
                pipe.sink().write(ByteBuffer.allocate(1));
            }
            Thread.sleep(1);
        })));
        writer.setDaemon(true);
        writer.start();
        reaches(read, (long) TURNS * threads); // until they have settled how they wait
        long turnsBefore = turns.get();
        System.out.println("the readers read " + reaches(read, read.get() + 10L * TURNS * threads));
        long made = turns.get() - turnsBefore;
        System.out.println("the sleeper keeps up " + (made >= TURNS) + ": " + made + " turns");
        int added = carriers() - before;
        System.out.println("carriers added: " + added);
        System.out.println("some carriers added " + (added > 0));
        System.out.println("few carriers added " + (added <= FEW));
    }

    /** Two of them wake each other's selections. */
    private static void wake(int threads) throws Exception {
        for (int i = 0; i < threads; i += 2) {
            Selector one = new EPollSelectorProvider().openSelector();
            Selector other = new EPollSelectorProvider().openSelector();
            start(() -> repeat(() -> wakeAndSelect(other, one)));
            start(() -> repeat(() -> wakeAndSelect(one, other)));
        }
    }

    private static void wakeAndSelect(Selector there, Selector here) throws Exception {
        there.wakeup();
        here.select();
    }

    /** They find nothing, and want to go on after some time. */
    private static void timeOut(int threads) throws Exception {
        AtomicLong latest = new AtomicLong();
        CountDownLatch ended = new CountDownLatch(threads);
        for (int i = 0; i < threads; i++) {
            Selector selector = new EPollSelectorProvider().openSelector();
            start(() -> {
                long started = System.nanoTime();
                selector.select(TIMEOUT_MILLIS);
                latest.accumulateAndGet(System.nanoTime() - started, Math::max);
                ended.countDown();
            });
        }
        System.out.println("the timeouts end " + ended.await(PATIENCE_NANOS, TimeUnit.NANOSECONDS));
        long late = TimeUnit.NANOSECONDS.toMillis(latest.get()) - TIMEOUT_MILLIS;
        System.out.println("in time " + (late < LATE_MILLIS) + ": " + late + " ms late");
    }

    private static boolean reaches(AtomicLong count, long wanted) throws InterruptedException {
        long deadline = System.nanoTime() + PATIENCE_NANOS;
        while (count.get() < wanted && System.nanoTime() < deadline) {
            Thread.sleep(1);
        }
        return count.get() >= wanted;
    }

    private static int carriers() {
        return (int) Thread.getAllStackTraces().keySet().stream().map(Thread::getThreadGroup)
                .filter(group -> group != null && "CarrierThreads".equals(group.getName())).count();
    }

    private static void repeat(Body body) throws Exception {
        while (true) {
            body.run();
        }
    }

    private static void startAll(int threads, Body body) throws ReflectiveOperationException {
        for (int i = 0; i < threads; i++) {
            start(body);
        }
    }

    /** By reflection: the tests are compiled for a JDK that has no virtual threads. */
    private static void start(Body body) throws ReflectiveOperationException {
        Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, body(body));
    }

    private static Runnable body(Body body) {
        return () -> {
            try {
                body.run();
            } catch (Exception e) {
                e.printStackTrace();
            }
        };
    }
}
