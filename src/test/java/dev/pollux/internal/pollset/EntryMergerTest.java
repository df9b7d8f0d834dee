// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.pollset;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.pollux.internal.jni.Natives;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Entries that a mechanism reports apart for one registration become one. */
class EntryMergerTest {
    private record Entry(int fd, int gen, int events) {
    }

    private final EntryMerger merger = new EntryMerger();

    private List<Entry> merge(List<Entry> entries) {
        ByteBuffer buffer = ByteBuffer.allocateDirect(entries.size() * Natives.EVENT_BYTES);
        buffer.order(ByteOrder.nativeOrder());
        for (Entry e : entries) {
            buffer.putLong((long) e.gen() << 32 | e.fd()).putInt(e.events()).putInt(0);
        }
        int n = merger.merge(buffer, entries.size());
        List<Entry> merged = new ArrayList<>();
        buffer.rewind();
        for (int i = 0; i < n; i++) {
            long cookie = buffer.getLong();
            merged.add(new Entry((int) cookie, (int) (cookie >>> 32), buffer.getInt()));
            buffer.getInt();
        }
        return merged;
    }

    @Test
    void readingAndWritingOfOneDescriptorBecomeOneEntryThoughNotAdjacent() {
        assertEquals(List.of(new Entry(5, 1, Natives.IN | Natives.OUT), new Entry(6, 2, Natives.IN)),
                merge(List.of(new Entry(5, 1, Natives.IN), new Entry(6, 2, Natives.IN), new Entry(5, 1, Natives.OUT))));
    }

    @Test
    void wakeupsAreKeptAsTheyAre() {
        List<Entry> entries =
                List.of(new Entry(0, 0, Natives.WAKEUP), new Entry(0, 0, 1), new Entry(0, 0, Natives.WAKEUP));
        assertEquals(entries, merge(entries));
    }

    @Test
    void whatWasRefusedIsNotMergedWithWhatIsReady() {
        List<Entry> entries = List.of(new Entry(3, 1, Natives.FAILED | Natives.OUT), new Entry(3, 1, Natives.IN));
        assertEquals(entries, merge(entries));
    }

    @Test
    void anEntryOfAnotherGenerationIsNotMerged() {
        List<Entry> entries = List.of(new Entry(3, 1, 1), new Entry(3, 2, 4));
        assertEquals(entries, merge(entries));
    }

    @Test
    void whatAnEarlierBatchLeftBehindIsNotTakenForAnEntryOfThisOne() {
        Random random = new Random(42);
        for (int round = 0; round < 1000; round++) {
            List<Entry> entries = new ArrayList<>();
            Map<Integer, Entry> expected = new LinkedHashMap<>();
            for (int i = random.nextInt(20); i > 0; i--) {
                Entry e = new Entry(random.nextInt(200), 7, 1 << random.nextInt(5));
                entries.add(e);
                expected.merge(e.fd(), e, (a, b) -> new Entry(a.fd(), a.gen(), a.events() | b.events()));
            }
            assertEquals(new ArrayList<>(expected.values()), merge(entries));
        }
    }
}
