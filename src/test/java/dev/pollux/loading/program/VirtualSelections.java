// SPDX-License-Identifier: Apache-2.0
package dev.pollux.loading.program;

import java.io.IOException;
import java.nio.channels.Selector;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Lets more virtual threads select than there are carriers, then looks whether another virtual thread still runs. */
public final class VirtualSelections {

    private static final int SELECTIONS = 20;
    private static final long PATIENCE_SECONDS = 30;

    private VirtualSelections() {
    }

    /** Prints what became of the threads. */
    public static void main(String[] arguments) throws Exception {
        List<Selector> selectors = new CopyOnWriteArrayList<>();
        CountDownLatch opened = new CountDownLatch(SELECTIONS);
        CountDownLatch ended = new CountDownLatch(SELECTIONS);
        for (int i = 0; i < SELECTIONS; i++) {
            start(() -> select(selectors, opened, ended));
        }
        System.out.println("opened " + opened.await(PATIENCE_SECONDS, TimeUnit.SECONDS));
        Thread.sleep(200); // lets them block
        CountDownLatch other = new CountDownLatch(1);
        start(other::countDown);
        System.out.println("another runs " + other.await(PATIENCE_SECONDS, TimeUnit.SECONDS));
        System.out.println("still selecting " + ended.getCount());
        selectors.forEach(Selector::wakeup);
        System.out.println("ended " + ended.await(PATIENCE_SECONDS, TimeUnit.SECONDS));
        System.exit(0);
    }

    private static void select(List<Selector> selectors, CountDownLatch opened, CountDownLatch ended) {
        try (Selector selector = Selector.open()) {
            selectors.add(selector);
            opened.countDown();
            selector.select();
            ended.countDown();
        } catch (IOException e) {
            e.printStackTrace();
        }
    }

    /** By reflection: the tests are compiled for a JDK that has no virtual threads. */
    private static void start(Runnable task) throws ReflectiveOperationException {
        Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, task);
    }
}
