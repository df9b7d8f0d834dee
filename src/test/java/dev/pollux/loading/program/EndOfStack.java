// SPDX-License-Identifier: Apache-2.0
package dev.pollux.loading.program;

import static java.util.concurrent.TimeUnit.NANOSECONDS;

import dev.pollux.Poller;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.nio.channels.Selector;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * Calls a selector or a Poller from the end of a thread's stack, where calls break off in every place with a
 * StackOverflowError, and looks after each round whether it can still be woken. A VM of its own: an overflow in the
 * initialiser of a class would spoil that class for ever.
 */
public final class EndOfStack {
    private static final int ROUNDS = 80;

    /** So many frames from the end of the stack the calls are made. */
    private static final int LEVELS = 40;

    private static final long PATIENCE_SECONDS = 20;

    private static long overflows;
    private static int levels;

    /** The one level at which the call is made, -1 for all. */
    private static int only = -1;

    private EndOfStack() {
    }

    /** Something that is called again and again. */
    private interface Call {
        void run() throws Exception;
    }

    /**
     * Runs one of the programs.
     *
     * @param arguments the program's name, and the mechanism of a Poller
     */
    public static void main(String[] arguments) throws Exception {
        switch (arguments[0]) {
            case "selector" -> selector(false);
            case "virtual" -> selector(true);
            case "followers" -> followers(arguments[1]);
            default -> poller(arguments[1]);
        }
        System.out.println("overflows " + overflows);
        // How many calls broke off depends on what was compiled: half as many as there are rounds show enough.
        System.out.println("survived " + (overflows > ROUNDS / 2));
    }

    /** A thread blocks in selections that nothing but a wakeup ends. */
    private static void selector(boolean virtual) throws Exception {
        Selector selector = Selector.open();
        Semaphore returned = new Semaphore(0);
        Thread selecting = start(virtual, () -> {
            while (selector.isOpen()) {
                selector.select();
                returned.release();
            }
        });
        for (int i = 0; i < 10_000; i++) {
            selector.wakeup(); // links what is linked late, and compiles
            expect(returned, "wakeup");
        }
        for (int i = 0; i < ROUNDS; i++) {
            callFromTheEndOfAStack(selector::wakeup, i);
            awaitBlocked(selecting);
            returned.drainPermits();
            selector.wakeup();
            expect(returned, "wakeup after overflows of round " + i);
        }
        awaitBlocked(selecting);
        returned.drainPermits();
        selecting.interrupt();
        expect(returned, "interrupt");
        selector.close();
        selecting.join(TimeUnit.SECONDS.toMillis(PATIENCE_SECONDS));
        System.out.println("ended " + !selecting.isAlive());
    }

    /** Threads break off in a Poller that nobody else uses, and then others wait in it. */
    private static void poller(String mechanism) throws Exception {
        Poller poller = Poller.open(mechanism, 100);
        Pipe pipe = Pipe.open();
        pipe.source().configureBlocking(false);
        poller.add(pipe.source(), Poller.POLLIN | Poller.ONESHOT);
        Poller.Handler none = (member, events) -> member.enable();
        Call[] calls = {() -> poller.await(none, 0, NANOSECONDS), poller::wakeup,
            () -> poller.await(none, 1000, NANOSECONDS)};
        for (int i = 0; i < 10_000; i++) {
            calls[i % 3].run();
        }
        for (int i = 0; i < ROUNDS; i++) {
            callFromTheEndOfAStack(calls[i % 3], i);
            waitForAByte(poller, pipe, "byte after overflows of round " + i);
        }
        poller.close();
        System.out.println("ended " + !poller.isOpen());
    }

    /** Threads break off in a Poller in which others are all the time. */
    private static void followers(String mechanism) throws Exception {
        Poller poller = Poller.open(mechanism, 100);
        Pipe pipe = Pipe.open();
        pipe.source().configureBlocking(false);
        poller.add(pipe.source(), Poller.POLLIN | Poller.ONESHOT);
        Semaphore reported = new Semaphore(0);
        Poller.Handler reading = (member, events) -> {
            pipe.source().read(ByteBuffer.allocate(1));
            member.enable();
            reported.release();
        };
        for (int i = 0; i < 3; i++) {
            start(false, () -> {
                while (poller.isOpen()) {
                    poller.await(reading);
                }
            });
        }
        Poller.Handler none = (member, events) -> member.enable(); // so that another thread is given it
        Call call = () -> {
            poller.wakeup(); // the leader, which has another one lead
            poller.await(none, 1000, NANOSECONDS);
        };
        for (int i = 0; i < 10_000; i++) {
            call.run();
        }
        for (int i = 0; i < LEVELS * ROUNDS / 8; i++) {
            only = i % LEVELS; // a second call would mend what the first one has broken
            callFromTheEndOfAStack(call, i / LEVELS);
            pipe.sink().write(ByteBuffer.allocate(1));
            expect(reported, "byte after overflows of round " + i);
        }
        poller.close();
        System.out.println("ended " + !poller.isOpen());
    }

    private static void waitForAByte(Poller poller, Pipe pipe, String what) throws Exception {
        Semaphore reported = new Semaphore(0);
        pipe.sink().write(ByteBuffer.allocate(1));
        Thread[] waiting = new Thread[2];
        for (int i = 0; i < waiting.length; i++) {
            waiting[i] = start(false, () -> {
                while (reported.availablePermits() == 0) {
                    poller.await((member, events) -> {
                        pipe.source().read(ByteBuffer.allocate(1));
                        member.enable();
                        reported.release(2);
                    });
                }
                poller.wakeup(); // for the other one
            });
        }
        expect(reported, what);
        for (Thread thread : waiting) {
            thread.join();
        }
    }

    private static void expect(Semaphore answer, String question) throws Exception {
        if (!answer.tryAcquire(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
            System.out.println("no answer to: " + question + ", overflows " + overflows);
            Thread.getAllStackTraces().forEach((thread, stack) -> System.out.println(thread + " " + List.of(stack)));
            Runtime.getRuntime().halt(1);
        }
    }

    private static void awaitBlocked(Thread thread) throws Exception {
        while (thread.getState() == Thread.State.BLOCKED || thread.getState() == Thread.State.NEW) {
            Thread.sleep(1);
        }
    }

    /** Makes a call at each of the last frames of a thread's stack. */
    private static void callFromTheEndOfAStack(Call call, int offset) throws Exception {
        Thread thread = new Thread(null, () -> {
            levels = 0;
            shift(offset % 16, call);
        }, "end of stack", 512 * 1024);
        thread.start();
        thread.join();
    }

    /** Moves the place of the overflow by a little each time. */
    private static void shift(int n, Call call) {
        if (n > 0) {
            shift(n - 1, call);
        } else {
            descend(call);
        }
    }

    @SuppressWarnings("InfiniteRecursion") // on purpose
    private static void descend(Call call) {
        try {
            descend(call);
        } catch (StackOverflowError end) {
            levels = 0;
        }
        if (levels < LEVELS) {
            levels++;
            if (only >= 0 && levels != only + 1) {
                return;
            }
            try {
                call.run();
            } catch (StackOverflowError e) {
                overflows++;
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }
    }

    private static Thread start(boolean virtual, Call body) throws Exception {
        Runnable task = () -> {
            try {
                body.run();
            } catch (java.nio.channels.ClosedSelectorException | dev.pollux.ClosedPollerException closed) {
                // the end
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        };
        if (virtual) {
            return (Thread) Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, task);
        }
        Thread thread = new Thread(task);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }
}
