// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.verdict;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.pollux.Providers;
import dev.pollux.internal.count.Loop;
import java.io.IOException;
import java.nio.channels.Selector;
import java.nio.channels.spi.SelectorProvider;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Which selectors count as left alone: newer ones whose thread has turned to an older one since. */
class LeftAloneTest {
    private Selector older;
    private Selector newer;

    @BeforeEach
    void open() throws IOException {
        SelectorProvider provider = Providers.all().findFirst().orElseThrow();
        older = provider.openSelector();
        newer = provider.openSelector();
    }

    @AfterEach
    void close() throws IOException {
        older.close();
        newer.close();
    }

    private Set<Loop> leftAlone() {
        return Verdicts.leftAlone(List.of((Loop) older, (Loop) newer));
    }

    @Test
    void theNewerIsOnceItsThreadHasWaitedInTheOlder() throws IOException {
        newer.select(5);
        older.select(5);
        assertEquals(Set.of((Loop) newer), leftAlone());
    }

    /** A handler of the older waits in one of its own. */
    @Test
    void theOlderIsNot() throws IOException {
        older.select(5);
        newer.select(5);
        assertEquals(Set.of(), leftAlone());
    }

    @Test
    void thoseOfOtherThreadsAreNot() throws Exception {
        newer.select(5);
        Thread thread = new Thread(() -> {
            try {
                older.select(5);
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        });
        thread.start();
        thread.join();
        assertEquals(Set.of(), leftAlone());
    }
}
