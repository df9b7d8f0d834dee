// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.cache;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What the web server has: <code>/static/n</code>, of 1 to 8 KiB, which can be put; <code>/dynamic/n</code>, 1 KiB that
 * is made anew for each request. Each begins with its path. Thread-safe.
 */
final class Pages {
    private static final int MOST = 1000;
    private static final int KIB = 1024;
    private static final int LARGEST = 8;
    private static final String STATIC = "/static/";
    private static final String DYNAMIC = "/dynamic/";

    private final Map<String, byte[]> contents = new ConcurrentHashMap<>();
    private final AtomicLong served = new AtomicLong();

    Pages() {
        for (int i = 0; i < MOST; i++) {
            contents.put(STATIC + i, filled(STATIC + i + "\n", (1 + i % LARGEST) * KIB));
        }
    }

    private static byte[] filled(String beginning, int size) {
        return (beginning + "0123456789abcde\n".repeat(size / 16)).substring(0, size)
                .getBytes(StandardCharsets.US_ASCII);
    }

    /** Whether a page stays the same until it is put. */
    static boolean isStatic(String path) {
        return path.startsWith(STATIC);
    }

    /** Null if there is no such page. */
    Page get(String path) {
        if (path.startsWith(DYNAMIC)) {
            return Page.passing(path, made(path));
        }
        byte[] content = contents.get(path);
        return content == null ? null : Page.lasting(path, content);
    }

    private byte[] made(String path) {
        return filled(path + "\nrequest " + served.incrementAndGet() + "\n", KIB);
    }

    /** Gives a page another content. False if there is no such page, or it can't be put. */
    boolean put(String path, byte[] content) {
        return contents.replace(path, content) != null;
    }
}
