// SPDX-License-Identifier: Apache-2.0
package dev.pollux.lab;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.lang.reflect.Method;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;

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
}
