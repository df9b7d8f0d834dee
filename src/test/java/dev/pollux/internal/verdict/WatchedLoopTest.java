// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.verdict;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.PolluxSelectorProvider;
import dev.pollux.internal.count.Counter;
import dev.pollux.internal.count.Loop;
import dev.pollux.internal.count.LoopStatistics;
import dev.pollux.lab.Warnings;
import java.nio.channels.Selector;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What is said of a loop that does not select: that it is blocked, or that its thread has ended. */
class WatchedLoopTest {
    private static final long SECOND = 1_000_000_000L;

    private final LoopStatistics statistics = new LoopStatistics();
    private final WatchedLoop watched = new WatchedLoop(2 * SECOND);
    private final FakeLoop loop = new FakeLoop();
    private Warnings warnings;

    /** Has selected, and does something else until the test is over; null if there is none. */
    private Thread handling;

    /** One that has events; its numbers are of a real loop. */
    private final class FakeLoop implements Loop {
        private boolean isListening;
        private int size = 3;
        private boolean isReadable = true;
        private boolean isWoken;
        private boolean isInterested = true;

        @Override
        public String kind() {
            return "selector";
        }

        @Override
        public String mechanism() {
            return "epoll";
        }

        @Override
        public LoopStatistics statistics() {
            return statistics;
        }

        @Override
        public int size() {
            return size;
        }

        @Override
        public int refused() {
            return 0;
        }

        @Override
        public boolean isReadable() {
            return isReadable;
        }

        @Override
        public boolean isInterested() {
            return isInterested;
        }

        @Override
        public boolean isWoken() {
            return isWoken;
        }

        @Override
        public boolean isListening() {
            return isListening;
        }
    }

    /** The first loop in use has warnings go to the log, a while after its first wait. */
    @BeforeAll
    static void haveALoopInUse() throws Exception {
        try (Selector selector = new PolluxSelectorProvider().openSelector()) {
            selector.select(1);
            while (Verdicts.herald() == null) {
                Thread.sleep(1);
            }
        }
    }

    @BeforeEach
    void listen() {
        warnings = new Warnings();
    }

    @AfterEach
    void stop() throws InterruptedException {
        if (handling != null) {
            handling.interrupt();
            handling.join();
        }
        warnings.close();
    }

    private void look(int times) {
        for (int i = 0; i < times; i++) {
            lookAndTell(watched, false, SECOND / 2);
        }
    }

    private void lookAndTell(WatchedLoop by, boolean isLeftAlone, long passed) {
        Runnable finding = by.look(loop, isLeftAlone, passed);
        if (finding != null) {
            finding.run();
        }
    }

    private void assertSaid(String... words) {
        List<String> said = warnings.messages();
        assertEquals(words.length, said.size(), said.toString());
        for (int i = 0; i < words.length; i++) {
            assertTrue(said.get(i).contains(words[i]), said.toString());
        }
    }

    private void select() {
        statistics.onBlock();
        statistics.onResume(true);
        statistics.onSelection(1);
        if (watched.firstWait == null) {
            watched.setFirstWait(new FirstWait());
        }
    }

    private void selectInAThreadThatLives() throws InterruptedException {
        CountDownLatch ready = new CountDownLatch(1);
        handling = new Thread(() -> {
            select();
            ready.countDown();
            LockSupport.park();
        }, "handling");
        handling.start();
        ready.await();
    }

    private void selectInAThreadThatEnds() throws InterruptedException {
        Thread thread = new Thread(this::select, "ended");
        thread.start();
        thread.join();
    }

    @Test
    void aBlockedLoopIsNamedWithItsThread() throws InterruptedException {
        selectInAThreadThatLives();
        look(5);
        assertSaid("Thread \"handling\" of selector 0 (epoll) is blocked: it has not returned"
                + " to its wait for 2.0 seconds, though there are events.");
        assertEquals(1, statistics.count(Counter.BLOCKAGES));
    }

    @Test
    void isSaidAgainAfterTenTimesAsLongAndOnceWhenItGoesOn() throws InterruptedException {
        selectInAThreadThatLives();
        look(44);
        select();
        look(1);
        assertSaid("for 2.0 seconds", "for 20.0 seconds", "Now selector 0 (epoll) goes on: it was blocked for 22.");
        look(3);
        assertEquals(3, warnings.messages().size());
    }

    @Test
    void withoutEventsNothingIsBlocked() throws InterruptedException {
        loop.isReadable = false;
        selectInAThreadThatLives();
        look(100);
        assertSaid();
    }

    /** As the library leaves it that cancels its key and selects no more. */
    @Test
    void eventsOfACancelledKeyAreNone() throws InterruptedException {
        loop.isInterested = false;
        selectInAThreadThatLives();
        look(100);
        assertSaid();
    }

    @Test
    void eventsOfACancelledKeyWaitForNoThread() throws InterruptedException {
        loop.isInterested = false;
        selectInAThreadThatEnds();
        look(100);
        assertSaid();
    }

    @Test
    void aWakeupIsAnEvent() throws InterruptedException {
        loop.isReadable = false;
        loop.isWoken = true;
        selectInAThreadThatLives();
        look(5);
        assertSaid("is blocked");
    }

    @Test
    void oneThatHasNoKeysIsNotNamed() throws InterruptedException {
        loop.size = 0;
        selectInAThreadThatLives();
        look(100);
        assertSaid();
    }

    @Test
    void oneThatSelectsIsNotNamed() {
        for (int i = 0; i < 100; i++) {
            statistics.onSelection(1);
            look(3);
        }
        select();
        look(2);
        assertSaid();
    }

    @Test
    void oneThatWaitsIsNotNamed() {
        select();
        statistics.onBlock();
        look(100);
        assertSaid();
    }

    @Test
    void zeroTurnsItOff() throws InterruptedException {
        selectInAThreadThatLives();
        WatchedLoop never = new WatchedLoop(0);
        for (int i = 0; i < 100; i++) {
            lookAndTell(never, false, SECOND);
        }
        assertSaid();
    }

    /** As a library's thread that polls when it likes: it has returned from the code that selects. */
    @Test
    void aThreadThatHasLeftTheLoopIsNotNamed() throws InterruptedException {
        selectInAThreadThatLives();
        leaveTheLoop();
        look(100);
        assertSaid();
    }

    /** Changes the stack of the wait, so that the thread is in no code of the product that selects. */
    private void leaveTheLoop() {
        StackTraceElement[] stack = watched.firstWait.stack().clone();
        for (int i = 0; i < stack.length; i++) {
            stack[i] = new StackTraceElement(stack[i].getClassName().startsWith("dev.pollux") ? "other.product.Client"
                    : stack[i].getClassName(), stack[i].getMethodName(), null, -1);
        }
        watched.setFirstWait(new FirstWait(stack));
    }

    /** As a pool's for which there is nothing to do: the next one will have its turn. */
    @Test
    void aThreadThatHasLeftTheLoopBeforeItEndsIsNotNamed() throws InterruptedException {
        selectInAThreadThatLives();
        leaveTheLoop();
        look(3);
        handling.interrupt();
        handling.join();
        look(100);
        assertSaid();
    }

    @Test
    void aThreadThatEndsInAHandlerThatTakesLongIsNamed() throws InterruptedException {
        selectInAThreadThatLives();
        look(3);
        handling.interrupt();
        handling.join();
        look(100);
        assertSaid("\"handling\", has ended");
    }

    @Test
    void theOwnerOfALockIsNamed() throws InterruptedException {
        ReentrantLock lock = new ReentrantLock();
        Thread thread = new Thread(() -> {
            select();
            lock.lock();
        }, "locked out");
        lock.lock();
        try {
            thread.start();
            while (!lock.hasQueuedThread(thread)) {
                Thread.sleep(1);
            }
            look(5);
        } finally {
            lock.unlock();
        }
        thread.join();
        assertSaid("It waits for java.util.concurrent.locks.ReentrantLock");
        String owner = "which thread \"" + Thread.currentThread().getName() + "\" holds";
        assertTrue(warnings.messages().get(0).contains(owner), warnings.messages().toString());
    }

    @Test
    void aDeadlockIsNamed() throws InterruptedException {
        ReentrantLock first = new ReentrantLock();
        ReentrantLock second = new ReentrantLock();
        CountDownLatch both = new CountDownLatch(2);
        Thread selecting = new Thread(() -> {
            select();
            lockBoth(first, second, both);
        }, "selecting");
        Thread other = new Thread(() -> lockBoth(second, first, both), "other");
        selecting.start();
        other.start();
        while (!second.hasQueuedThread(selecting) || !first.hasQueuedThread(other)) {
            Thread.sleep(1);
        }
        look(5);
        selecting.interrupt();
        selecting.join();
        other.join();
        assertSaid("which thread \"other\" holds; that one waits for");
        String said = warnings.messages().get(0);
        assertTrue(said.contains("which this thread holds. That is a deadlock") && said.contains("restart the program")
                && !said.contains("Move what takes long"), said);
        Throwable[] others = warnings.records().get(0).getThrown().getSuppressed();
        assertEquals("thread \"other\"", others[0].getMessage());
    }

    private static void lockBoth(ReentrantLock one, ReentrantLock another, CountDownLatch both) {
        one.lock();
        try {
            both.countDown();
            both.await();
            another.lockInterruptibly();
        } catch (InterruptedException e) {
            return;
        } finally {
            one.unlock();
        }
    }

    @Test
    void aThreadThatHasEndedIsNamedOnce() throws InterruptedException {
        selectInAThreadThatEnds();
        look(100);
        assertSaid("\"ended\", has ended");
    }

    /** As after {@code submit}: the exception that ended the loop is kept, and nobody looks at it. */
    @Test
    void aThreadThatIsBackInItsPoolIsNamedIfItsLoopIsListening() throws Exception {
        ExecutorService pool = Executors.newSingleThreadExecutor();
        try {
            pool.submit(this::select).get();
            useCallerOfAProgram();
            look(100);
            assertSaid();
            loop.isListening = true;
            look(1);
            assertSaid("has left its loop, and is idle in its pool");
        } finally {
            pool.shutdown();
        }
    }

    /** We count as the selector's own code, so there is no call of a program. */
    private void useCallerOfAProgram() {
        watched.setFirstWait(new FirstWait(new StackTraceElement("app.Server", "loop", null, -1)));
    }

    @Test
    void oneThatIsLeftAloneIsNotNamed() throws InterruptedException {
        selectInAThreadThatLives();
        for (int i = 0; i < 100; i++) {
            lookAndTell(watched, true, SECOND);
        }
        assertSaid();
    }

    /** It is not known whether another one will come. */
    @Test
    void nothingIsSaidOfTheFuture() throws InterruptedException {
        selectInAThreadThatEnds();
        look(100);
        String message = warnings.messages().get(0);
        assertTrue(message.contains("Until one does") && !message.contains("for ever"), message);
    }

    @Test
    void anEndedThreadIsNotNamedAtOnce() throws InterruptedException {
        selectInAThreadThatEnds();
        look(19);
        assertSaid();
    }

    /** Its program has left the selector alone. */
    @Test
    void anEndedThreadThatNothingWaitsForIsNotNamed() throws InterruptedException {
        loop.isReadable = false;
        selectInAThreadThatEnds();
        look(100);
        assertSaid();
    }

    @Test
    void aRegistrationWaitsForTheThread() throws InterruptedException {
        loop.isReadable = false;
        selectInAThreadThatEnds();
        look(50);
        loop.size++;
        look(1);
        assertSaid("has ended");
    }

    /** The next one may come in an hour: nothing is lost. */
    @Test
    void aPoolsThreadsAreNotNamed() throws InterruptedException {
        for (int i = 0; i < 3; i++) {
            selectInAThreadThatEnds();
        }
        look(100);
        assertSaid();
    }

    /** One has prepared the selector. */
    @Test
    void theSecondThreadIsNamed() throws InterruptedException {
        select();
        selectInAThreadThatEnds();
        look(100);
        assertSaid("has ended");
    }

    /** Threads of a pool take turns, and each may end. */
    @Test
    void isNotNamedIfOthersHaveSelectedSince() throws InterruptedException {
        for (int i = 0; i < 5; i++) {
            selectInAThreadThatEnds();
            look(15);
        }
        assertSaid();
    }
}
