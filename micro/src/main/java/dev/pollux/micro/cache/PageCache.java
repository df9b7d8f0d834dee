// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.cache;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Pages by path, as many as there is room for. When there is no more, those go that were not asked for for longest. One
 * event loop looks into it. Other threads offer pages, and the loop stores them before it looks something up.
 */
final class PageCache {
    /** By path, in the order of last use. */
    private final Map<String, Page> pages = new LinkedHashMap<>(16, 0.75f, true);
    private final Queue<Page> offered = new ConcurrentLinkedQueue<>();
    private final long room;
    private long used;

    /** Argument: how many bytes the replies may have together. */
    PageCache(long room) {
        this.room = room;
    }

    /** Has the loop store a page instead of the one that its path had. Any thread. */
    void offer(Page page) {
        offered.add(page);
    }

    /** The page of a path; null if it is not there. */
    Page find(String path) {
        for (Page page; (page = offered.poll()) != null; ) {
            store(page);
        }
        return pages.get(path);
    }

    /** A page that is larger than the room is not stored. */
    private void store(Page page) {
        remove(page.path());
        if (page.reply().capacity() <= room) {
            pages.put(page.path(), page);
            used += page.reply().capacity();
        }
        while (used > room) {
            remove(pages.values().iterator().next().path());
        }
    }

    private void remove(String path) {
        Page page = pages.remove(path);
        if (page != null) {
            used -= page.reply().capacity();
        }
    }
}
