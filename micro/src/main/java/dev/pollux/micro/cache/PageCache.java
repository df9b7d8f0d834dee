// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.cache;

import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Pages by path, as many as there is room for. When there is no more, those go that were not asked for for longest. One
 * event loop looks into it; finding a page allocates nothing. Other threads offer pages, and the loop stores them
 * before it looks something up.
 */
final class PageCache {
    /** By path, in the order of last use. {@link Bytes} can be looked up too. */
    private final Map<Object, Page> pages = new LinkedHashMap<>(16, 0.75f, true);
    private final Queue<Page> offered = new ConcurrentLinkedQueue<>();
    private final Bytes bytes = new Bytes();
    private final long room;
    private long used;

    /** A path where it lies in a request: equal to a String of the same characters, but not the other way round. */
    private static final class Bytes {
        private ByteBuffer data;
        private int from;
        private int to;

        @Override
        public int hashCode() {
            int hash = 0;
            for (int i = from; i < to; i++) {
                hash = 31 * hash + data.get(i); // that of a String, as long as they are ASCII
            }
            return hash;
        }

        @Override
        public boolean equals(Object other) {
            if (!(other instanceof String path) || path.length() != to - from) {
                return false;
            }
            for (int i = from; i < to; i++) {
                if (data.get(i) != path.charAt(i - from)) {
                    return false;
                }
            }
            return true;
        }
    }

    /** Argument: how many bytes the replies may have together. */
    PageCache(long room) {
        this.room = room;
    }

    /** Has the loop store a page instead of the one that its path had. Any thread. */
    void offer(Page page) {
        offered.add(page);
    }

    /** The page whose path bytes are; null if it is not there. */
    Page find(ByteBuffer data, int from, int to) {
        bytes.data = data;
        bytes.from = from;
        bytes.to = to;
        return find(bytes);
    }

    /** The page of a path; null if it is not there. */
    Page find(String path) {
        return find((Object) path);
    }

    private Page find(Object path) {
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
