// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.cache;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** The cache against a model of it, and what keeps it from having old pages. */
class PageCacheTest {
    private static Page page(String path, int size) {
        return Page.lasting(path, new byte[size]).prepare();
    }

    private static Page find(PageCache cache, String path) {
        ByteBuffer data = ByteBuffer.wrap(("GET " + path + " ").getBytes(StandardCharsets.US_ASCII));
        return cache.find(data, 4, 4 + path.length());
    }

    @Test
    void itHasWhatWasUsedLastAndFindsRoomFor() {
        SplittableRandom random = new SplittableRandom(1);
        long room = 50_000;
        PageCache cache = new PageCache(room);
        Map<String, Page> model = new LinkedHashMap<>(16, 0.75f, true);
        for (int i = 0; i < 100_000; i++) {
            // "AaAa" and "BBBB" have the same hash.
            String path = "/" + (random.nextBoolean() ? "AaAa" : "BBBB") + random.nextInt(60);
            switch (random.nextInt(4)) {
                case 0 -> {
                    Page page = page(path, random.nextInt(3000));
                    cache.store(page);
                    model.remove(path);
                    model.put(path, page);
                    while (model.values().stream().mapToLong(Page::size).sum() > room) {
                        model.remove(model.keySet().iterator().next());
                    }
                }
                case 1 -> assertSame(model.get(path), cache.find(path));
                case 2 -> assertSame(model.get(path), find(cache, path));
                default -> {
                    if (random.nextInt(10) == 0) {
                        cache.remove(path);
                        model.remove(path);
                    }
                }
            }
            assertEquals(model.size(), cache.count());
            assertEquals(model.values().stream().mapToLong(Page::size).sum(), cache.used());
        }
        assertTrue(cache.count() > 10);
    }

    @Test
    void aPageThatIsTooLargeIsNotStored() {
        PageCache cache = new PageCache(2000);
        cache.store(page("/a", 100));
        cache.store(page("/b", 5000));
        assertNotNull(find(cache, "/a"));
        assertNull(find(cache, "/b"));
    }

    @Test
    void aPageThatWasMadeBeforeAChangeIsNotStored() {
        Site site = new Site(1 << 20);
        PageCache cache = site.cache();
        Request get = new Request("GET", "/static/1", null, new byte[0], false);
        Request put = new Request("PUT", "/static/1", null, new byte[] {'n', 'e', 'w'}, false);
        site.answer(get, cache);
        assertEquals(204, site.answer(put, cache).status);
        assertNull(cache.find("/static/1"));
        site.answer(get, cache);
        assertEquals(3, cache.find("/static/1").body.length);
    }
}
