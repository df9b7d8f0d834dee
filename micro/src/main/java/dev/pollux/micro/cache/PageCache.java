// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.cache;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * Pages by path, as many as there is room for. When there is no more, those go that were not asked for for longest. For
 * one thread; finding a page allocates nothing.
 */
final class PageCache {
    private static final int BUCKETS = 1 << 12;

    /** A page in a chain of those with the same bucket, and in the order of last use. */
    private static final class Entry {
        private final Page page;
        private final byte[] path;
        private final int hash;
        private Entry next;
        private Entry older;
        private Entry newer;

        Entry(Page page) {
            this.page = page;
            path = page == null ? new byte[0] : page.path().getBytes(StandardCharsets.ISO_8859_1);
            int sum = 0;
            for (byte b : path) {
                sum = 31 * sum + b;
            }
            hash = sum;
        }
    }

    private final Entry[] buckets = new Entry[BUCKETS];

    /** Between the oldest and the newest, in a ring. */
    private final Entry ends = new Entry(null);

    private final long room;
    private long used;
    private int count;

    /** A cache of so many bytes. */
    PageCache(long room) {
        this.room = room;
        ends.older = ends;
        ends.newer = ends;
    }

    /** The page whose path bytes are; null if it is not there. */
    Page find(ByteBuffer data, int from, int to) {
        int hash = 0;
        for (int i = from; i < to; i++) {
            hash = 31 * hash + data.get(i);
        }
        Entry entry = buckets[bucket(hash)];
        while (entry != null && (entry.hash != hash || !Characters.equal(data, from, to, entry.path))) {
            entry = entry.next;
        }
        return used(entry);
    }

    /** The page of a path; null if it is not there. */
    Page find(String path) {
        int hash = path.hashCode(); // that of its bytes, as long as they are ASCII
        Entry entry = buckets[bucket(hash)];
        while (entry != null && !(entry.hash == hash && entry.page.path().equals(path))) {
            entry = entry.next;
        }
        return used(entry);
    }

    private Page used(Entry entry) {
        if (entry == null) {
            return null;
        }
        unlink(entry);
        linkAsNewest(entry);
        return entry.page;
    }

    /** Stores a page instead of the one that its path had. A page that is larger than the room is not stored. */
    void store(Page page) {
        remove(page.path());
        if (page.size() > room) {
            return;
        }
        Entry entry = new Entry(page);
        entry.next = buckets[bucket(entry.hash)];
        buckets[bucket(entry.hash)] = entry;
        linkAsNewest(entry);
        used += page.size();
        count++;
        while (used > room) {
            remove(ends.newer.page.path());
        }
    }

    /** Forgets a page, if it is there. */
    void remove(String path) {
        int bucket = bucket(path.hashCode());
        Entry before = null;
        for (Entry entry = buckets[bucket]; entry != null; before = entry, entry = entry.next) {
            if (entry.page.path().equals(path)) {
                if (before == null) {
                    buckets[bucket] = entry.next;
                } else {
                    before.next = entry.next;
                }
                unlink(entry);
                used -= entry.page.size();
                count--;
                return;
            }
        }
    }

    private static int bucket(int hash) {
        return (hash ^ hash >>> 16) & BUCKETS - 1;
    }

    private static void unlink(Entry entry) {
        entry.older.newer = entry.newer;
        entry.newer.older = entry.older;
    }

    private void linkAsNewest(Entry entry) {
        entry.newer = ends;
        entry.older = ends.older;
        ends.older.newer = entry;
        ends.older = entry;
    }

    /** Bytes in use. */
    long used() {
        return used;
    }

    /** How many pages there are. */
    int count() {
        return count;
    }
}
