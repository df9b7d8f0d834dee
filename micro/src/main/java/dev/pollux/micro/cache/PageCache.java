// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.cache;

import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Pages by path, as many as there is room for. When there is no more, those go that were not asked for for longest. One
 * event loop looks into it; finding a page allocates nothing. Other threads leave changes in a queue, and the loop
 * makes them before it looks something up: a peer that was told that a page has changed never gets the old one.
 */
final class PageCache {
    /** By path, in the order of last use. {@link Bytes} can be looked up too. */
    private final Map<Object, Page> pages = new LinkedHashMap<>(16, 0.75f, true);
    private final Queue<Runnable> changes = new ConcurrentLinkedQueue<>();
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

    /** A cache of so many bytes. */
    PageCache(long room) {
        this.room = room;
    }

    /** Any thread. */
    void change(Runnable change) {
        changes.add(change);
    }

    private void makeChanges() {
        for (Runnable change; (change = changes.poll()) != null; ) {
            change.run();
        }
    }

    /** The page whose path bytes are; null if it is not there. */
    Page find(ByteBuffer data, int from, int to) {
        makeChanges();
        bytes.data = data;
        bytes.from = from;
        bytes.to = to;
        return pages.get(bytes);
    }

    /** The page of a path; null if it is not there. */
    Page find(String path) {
        makeChanges();
        return pages.get(path);
    }

    /** Stores a page instead of the one that its path had. A page that is larger than the room is not stored. */
    void store(Page page) {
        remove(page.path);
        if (page.size() <= room) {
            pages.put(page.path, page);
            used += page.size();
        }
        while (used > room) {
            remove(pages.values().iterator().next().path);
        }
    }

    /** Forgets a page, if it is there. */
    void remove(String path) {
        Page page = pages.remove(path);
        if (page != null) {
            used -= page.size();
        }
    }

    /** Bytes in use. */
    long used() {
        return used;
    }

    /** How many pages there are. */
    int count() {
        return pages.size();
    }
}
