// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.top;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** {@code top} does not wait for ever. */
class TimeoutTest {
    private static final Target TARGET = new Target(4711);

    @Test
    void anAnswerIsReturned() throws Exception {
        assertEquals("loops", Timeout.DEFAULT.limit(TARGET, () -> "loops"));
    }

    @Test
    void aProcessThatDoesNotAnswerIsGivenUp() {
        CountDownLatch never = new CountDownLatch(1);
        TopException told = assertThrows(TopException.class, () -> new Timeout(50).limit(TARGET, () -> {
            never.await();
            return "";
        }));
        assertEquals(1, told.exitCode());
        assertTrue(told.getMessage().contains("kill -CONT 4711"), told.getMessage());
    }

    @Test
    void whatGoesWrongIsTold() {
        TopException reason = new TopException("no agent");
        assertSame(reason, assertThrows(TopException.class, () -> Timeout.DEFAULT.limit(TARGET, () -> {
            throw reason;
        })));
        IOException failure = new IOException("no file");
        assertSame(failure, assertThrows(IOException.class, () -> Timeout.DEFAULT.limit(TARGET, () -> {
            throw failure;
        })));
    }
}
