// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.cache;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;

/** The pages and the caches of them, one for each loop, which it keeps from having old pages. Thread-safe. */
public final class Site {
    private final Pages pages = new Pages();
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
        if (request.method().equals("PUT") && pages.put(request.path(), request.body())) {
            changes.incrementAndGet();
            caches.forEach(each -> each.change(() -> each.remove(request.path())));
            return Page.of(204);
        }
        if (!request.isRead()) {
            return Page.of(405);
        }
        Page page = pages.get(request.path());
        if (page == null) {
            return Page.of(404);
        }
        if (Pages.isStatic(request.path())) {
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
