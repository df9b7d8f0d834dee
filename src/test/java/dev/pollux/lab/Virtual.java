// SPDX-License-Identifier: Apache-2.0
package dev.pollux.lab;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.lang.reflect.Method;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;

/** Virtual threads (JDK 21 and later), started by reflection, so that 17 compiles this. */
public final class Virtual {

    private Virtual() {
    }

    /** Starts a virtual thread; on an older JDK the test is skipped. */
    public static <T> FutureTask<T> start(Callable<T> body) throws Exception {
        assumeTrue(Runtime.version().feature() >= 21, "this JDK has no virtual threads");
        Method start = Thread.class.getMethod("startVirtualThread", Runnable.class);
        FutureTask<T> task = new FutureTask<>(body);
        start.invoke(null, task);
        return task;
    }

    /** Has the JDK start its pollers. They come with the first virtual thread that parks, and stay: no test's leak. */
    public static void startPollers() throws Exception {
        // Not a DatagramSocket: on JDK 21 its thread blocks the carrier, with the packet's monitor held.
        try (DatagramChannel channel = DatagramChannel.open()) {
            channel.bind(Workbench.loopback(0));
            CompletableFuture<Thread> receiver = new CompletableFuture<>();
            FutureTask<Void> task = start(() -> {
                receiver.complete(Thread.currentThread());
                channel.receive(ByteBuffer.allocate(1));
                return null;
            });
            long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
            while (receiver.get().getState() != Thread.State.WAITING) {
                assertTrue(System.nanoTime() < deadline, "a virtual thread that receives should park");
                Thread.sleep(1);
            }
            channel.send(ByteBuffer.allocate(1), channel.getLocalAddress());
            task.get(20, TimeUnit.SECONDS);
        }
    }
}
