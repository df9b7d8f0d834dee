// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.watch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.opentest4j.AssertionFailedError;
import org.opentest4j.ValueWrapper;

/** What is told of the application behind a framework's attachment. Here we are the framework, others the application. */
class HandlerFinderTest {

    /** As a framework's registration: what it leads to is some references away, and some lead back. */
    private static class Registration {
        private final Registration self = this;
        private final Object next;

        Registration(Object next) {
            this.next = next;
        }
    }

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
        assertEquals(OWN, HandlerFinder.describe(new Registration(List.of(Thread.currentThread(), System.out))));
    }

    @Test
    void theStackIsThatOfTheThread() throws InterruptedException {
        Thread thread = new Thread(HandlerFinderTest::handle);
        thread.start();
        while (thread.getState() != Thread.State.WAITING) {
            Thread.sleep(1);
        }
        Throwable stack = HandlerFinder.stack(thread, "thread");
        LockSupport.unpark(thread);
        thread.join();
        assertTrue(Arrays.stream(stack.getStackTrace()).anyMatch(call -> call.getMethodName().equals("handle")),
                Arrays.toString(stack.getStackTrace()));
    }

    private static void handle() {
        LockSupport.park();
    }
}
