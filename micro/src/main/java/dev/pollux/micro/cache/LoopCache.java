// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.cache;

import java.nio.ByteBuffer;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * The cache of one event loop, which alone looks into it. Other threads leave what is to be changed in a queue, and the
 * loop does it before it looks something up: who was told that a page has changed never gets the old one.
 */
final class LoopCache {
    private final PageCache pages;
    private final Queue<Runnable> changes = new ConcurrentLinkedQueue<>();

    LoopCache(long room) {
        pages = new PageCache(room);
    }

    /** Any thread. */
    void change(Runnable change) {
        changes.add(change);
    }

    /** The loop's thread. */
    Page find(ByteBuffer data, int from, int to) {
        makeChanges();
        return pages.find(data, from, to);
    }

    /** The loop's thread. */
    Page find(String path) {
        makeChanges();
        return pages.find(path);
    }

    private void makeChanges() {
        for (Runnable change; (change = changes.poll()) != null; ) {
            change.run();
        }
    }

    /** For changes. */
    PageCache pages() {
        return pages;
    }
}
