// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.pollset;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.PolluxSelectorProvider;
import dev.pollux.internal.jdk.Descriptors;
import dev.pollux.internal.jni.Natives;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What selectors and Pollers rely on, with each mechanism of this library. */
class PollSetTest {
    private static final long WAIT = TimeUnit.SECONDS.toNanos(10);
    private static final int SOME_GENERATION = -7; // the sign bit of a cookie is nothing special

    private final Pipe pipe;
    private final int fd;
    private PollSet set;

    PollSetTest() throws IOException {
        loadLibrary();
        pipe = Pipe.open();
        fd = Descriptors.of(pipe.source());
    }

    private static void loadLibrary() throws IOException {
        new PolluxSelectorProvider().openSelector().close();
    }

    static Stream<String> mechanisms() throws IOException {
        loadLibrary();
        return Arrays.stream(Natives.mechanisms().split(","));
    }

    @AfterEach
    void close() throws IOException {
        if (set != null) {
            set.close();
        }
        pipe.source().close();
        pipe.sink().close();
    }

    private void makeReadable() throws IOException {
        pipe.sink().write(ByteBuffer.wrap(new byte[] {1}));
    }

    private void assertReports(int generation, int events) throws IOException {
        assertEquals(1, set.await(WAIT));
        assertFalse(set.entries().isWakeup(0));
        assertEquals(fd, set.entries().fd(0));
        assertEquals(generation, set.entries().generation(0));
        assertEquals(events, set.entries().events(0));
        assertEquals(0, set.entries().error(0));
    }

    @ParameterizedTest
    @MethodSource("mechanisms")
    void anEventHasTheDescriptorAndTheGenerationOfTheLastChange(String mechanism) throws IOException {
        set = PollSet.open(mechanism);
        makeReadable();
        assertEquals(0, set.add(fd, 1, PollSet.IN));
        assertReports(1, PollSet.IN);
        assertEquals(0, set.modify(fd, SOME_GENERATION, PollSet.IN));
        assertReports(SOME_GENERATION, PollSet.IN);
    }

    @ParameterizedTest
    @MethodSource("mechanisms")
    void aWakeupIsNoEventOfDescriptorZero(String mechanism) throws IOException {
        set = PollSet.open(mechanism);
        set.wakeup();
        assertEquals(1, set.await(WAIT));
        assertTrue(set.entries().isWakeup(0));
        makeReadable();
        assertEquals(0, set.add(fd, 0, PollSet.IN));
        assertReports(0, PollSet.IN);
    }

    @ParameterizedTest
    @MethodSource("mechanisms")
    void whatIsAddedOnceMoreIsReplaced(String mechanism) throws IOException {
        set = PollSet.open(mechanism);
        assertEquals(0, set.add(fd, 1, PollSet.PRI));
        assertEquals(0, set.add(fd, 2, PollSet.IN));
        makeReadable();
        assertReports(2, PollSet.IN);
    }

    @ParameterizedTest
    @MethodSource("mechanisms")
    void whatIsNotWatchedCanBeRemovedButNotModified(String mechanism) throws IOException {
        set = PollSet.open(mechanism);
        makeReadable();
        assertEquals(0, set.remove(fd));
        assertNotEquals(0, set.modify(fd, 1, PollSet.IN));
        assertEquals(0, set.await(0));
        assertEquals(0, set.add(fd, 2, PollSet.IN));
        assertEquals(0, set.remove(fd));
        assertNotEquals(0, set.modify(fd, 3, PollSet.IN));
        assertEquals(0, set.await(0));
    }

    @ParameterizedTest
    @MethodSource("mechanisms")
    void whatIsWatchedForNothingIsWatchedStill(String mechanism) throws IOException {
        set = PollSet.open(mechanism);
        makeReadable();
        assertEquals(0, set.add(fd, 1, 0));
        assertEquals(0, set.await(0));
        assertEquals(0, set.modify(fd, 2, PollSet.IN));
        assertReports(2, PollSet.IN);
    }

    @ParameterizedTest
    @MethodSource("mechanisms")
    void whatTheMechanismDoesNotSupportIsRefused(String mechanism) throws IOException {
        set = PollSet.open(mechanism);
        assertEquals(set.supportsOneShot(), set.add(fd, 1, PollSet.IN | PollSet.ONESHOT) == 0);
        assertEquals(0, set.remove(fd));
        assertEquals(set.supportsEdge(), set.add(fd, 1, PollSet.IN | PollSet.EDGE) == 0);
    }

    @Test
    void aNumberIsAnOpenDescriptorOrNot() throws IOException {
        assertTrue(PollSet.isOpen(fd));
        assertFalse(PollSet.isOpen(-1));
        assertFalse(PollSet.isOpen(Integer.MAX_VALUE));
        pipe.source().close();
        assertFalse(PollSet.isOpen(fd));
    }
}
