// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.cache;

import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** The cache against a model of it. */
class PageCacheTest {
    private static long size(Map<String, Page> pages) {
        return pages.values().stream().mapToLong(page -> page.reply().capacity()).sum();
    }

    @Test
    void itHasWhatWasUsedLastAndFindsRoomFor() {
        SplittableRandom random = new SplittableRandom(1);
        long room = 50_000;
        PageCache cache = new PageCache(room);
        Map<String, Page> model = new LinkedHashMap<>(16, 0.75f, true);
        for (int i = 0; i < 100_000; i++) {
            String path = "/" + random.nextInt(60);
            if (random.nextBoolean()) {
                assertSame(model.get(path), cache.find(path));
                continue;
            }
            Page page = new Page(path, 200, "x".repeat(random.nextInt(3000)));
            cache.offer(page);
            model.remove(path);
            model.put(path, page);
            while (size(model) > room) {
                model.remove(model.keySet().iterator().next());
            }
        }
        assertTrue(model.size() > 10);
    }

    @Test
    void aPageThatIsTooLargeIsNotStored() {
        PageCache cache = new PageCache(2000);
        cache.offer(new Page("/a", 200, "x".repeat(100)));
        cache.offer(new Page("/b", 200, "x".repeat(5000)));
        assertNotNull(cache.find("/a"));
        assertNull(cache.find("/b"));
    }
}
