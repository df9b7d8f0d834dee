// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.cache;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What the web server has: <code>/static/n</code>, of 1 to 8 KiB, which can be put; <code>/dynamic/n</code>, 1 KiB that
 * is made again for each request. Each begins with its path. Each loop has a cache of them, which it keeps from having
 * old pages. Thread-safe.
 */
public final class Site {
    private static final int MAX_PAGES = 1000;
    private static final int KIB = 1024;
    private static final int LARGEST = 8;
    private static final String STATIC = "/static/";
    private static final String DYNAMIC = "/dynamic/";

    private final Map<String, byte[]> contents = new ConcurrentHashMap<>();
    private final AtomicLong served = new AtomicLong();
    private final List<PageCache> caches = new CopyOnWriteArrayList<>();
    private final long room;

    /** How often a page has changed. */
    private final AtomicLong changes = new AtomicLong();

    /**
     * A site.
     *
     * @param room bytes of each loop's cache
     */
    public Site(long room) {
        this.room = room;
        for (int i = 0; i < MAX_PAGES; i++) {
            contents.put(STATIC + i, filled(STATIC + i + "\n", (1 + i % LARGEST) * KIB));
        }
    }

    private static byte[] filled(String beginning, int size) {
        return (beginning + "0123456789abcde\n".repeat(size / 16)).substring(0, size)
                .getBytes(StandardCharsets.US_ASCII);
    }

    /** Null if there is no such page. */
    private Page get(String path) {
        if (path.startsWith(DYNAMIC)) {
            String beginning = path + "\nrequest " + served.incrementAndGet() + "\n";
            return Page.passing(path, filled(beginning, KIB));
        }
        byte[] content = contents.get(path);
        return content == null ? null : Page.lasting(path, content);
    }

    /** A cache for one more loop. */
    PageCache cache() {
        PageCache cache = new PageCache(room);
        caches.add(cache);
        return cache;
    }

    /** Answers a request as the web server behind the cache does, and stores what may be stored. */
    Page answer(Request request, PageCache cache) {
        long before = changes.get();
        if (request.method().equals("PUT") && contents.replace(request.path(), request.body()) != null) {
            changes.incrementAndGet();
            caches.forEach(each -> each.change(() -> each.remove(request.path())));
            return Page.of(204);
        }
        if (!request.isRead()) {
            return Page.of(405);
        }
        Page page = get(request.path());
        if (page == null) {
            return Page.of(404);
        }
        if (request.path().startsWith(STATIC)) {
            page.prepare();
            cache.change(() -> store(cache, page, before));
        }
        return page;
    }

    /** If a page has changed since this one was made, it may be the old one of those. */
    private void store(PageCache cache, Page page, long before) {
        if (changes.get() == before) {
            cache.store(page);
        }
    }
}
