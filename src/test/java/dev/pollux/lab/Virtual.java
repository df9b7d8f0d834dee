// SPDX-License-Identifier: Apache-2.0
package dev.pollux.lab;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.lang.reflect.Method;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
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
        try (DatagramSocket socket = new DatagramSocket(0, InetAddress.getLoopbackAddress())) {
            CompletableFuture<Thread> receiver = new CompletableFuture<>();
            FutureTask<Void> task = start(() -> {
                receiver.complete(Thread.currentThread());
                socket.receive(new DatagramPacket(new byte[1], 1));
                return null;
            });
            while (receiver.get().getState() != Thread.State.WAITING) {
                Thread.sleep(1);
            }
            socket.send(new DatagramPacket(new byte[1], 1, socket.getLocalSocketAddress()));
            task.get(20, TimeUnit.SECONDS);
        }
    }
}
