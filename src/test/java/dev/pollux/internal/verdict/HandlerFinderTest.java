// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.verdict;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.lab.Registration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;
import org.opentest4j.ValueWrapper;

/** What is told of the application behind a framework's attachment: here we are the framework. */
class HandlerFinderTest {

    private static final String OWN = Registration.class.getName();

    @Test
    void anObjectWithoutOthersIsItsClass() {
        assertEquals(OWN, HandlerFinder.describe(new Registration(null)));
        assertEquals("java.lang.String", HandlerFinder.describe("text"));
    }

    @Test
    void theNearestOfOtherProductsAreNamed() {
        Object pipeline = new Registration(new Object[] {null, List.of(Map.of("handler",
                new AtomicReference<>(ValueWrapper.create("x"))))});
        assertEquals(OWN + " with org.opentest4j.ValueWrapper", HandlerFinder.describe(new Registration(pipeline)));
    }

    @Test
    void theJdkAndLoggingAreNotNamed() {
        List<Object> common = List.of(Thread.currentThread(), Logger.getGlobal());
        assertEquals(OWN, HandlerFinder.describe(new Registration(common)));
    }

    @Test
    void theStackIsThatOfTheThread() throws InterruptedException {
        Thread thread = new Thread(HandlerFinderTest::handle);
        thread.start();
        while (thread.getState() != Thread.State.WAITING) {
            Thread.sleep(1);
        }
        Throwable stack = HandlerFinder.stack(thread);
        LockSupport.unpark(thread);
        thread.join();
        assertTrue(Arrays.stream(stack.getStackTrace()).anyMatch(call -> call.getMethodName().equals("handle")),
                Arrays.toString(stack.getStackTrace()));
    }

    private static void handle() {
        LockSupport.park();
    }
}
