// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.cache;

import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What the web server behind the cache has: <code>/static/n</code>, of 1 to 8 KiB, which it gives to the cache when it
 * is asked for; <code>/dynamic/n</code>, 1 KiB that is made again for each request. Each begins with its path.
 * Thread-safe.
 */
final class Site implements Function<String, Page> {
    private static final Pattern STATIC = Pattern.compile("/static/(\\d{1,3})");
    private static final int KIB = 1024;
    private static final int LARGEST = 8;

    private final AtomicLong served = new AtomicLong();
    private final PageCache cache;

    Site(PageCache cache) {
        this.cache = cache;
    }

    /** Answers a request for a path. */
    @Override
    public Page apply(String path) {
        if (path.startsWith("/dynamic/")) {
            return new Page(path, 200, filled(path + "\nrequest " + served.incrementAndGet() + "\n", KIB));
        }
        Matcher number = STATIC.matcher(path);
        if (!number.matches()) {
            return new Page(path, 404, "Not Found\n");
        }
        Page page = new Page(path, 200, filled(path + "\n", (1 + Integer.parseInt(number.group(1)) % LARGEST) * KIB));
        cache.offer(page);
        return page;
    }

    private static String filled(String beginning, int size) {
        return (beginning + "0123456789abcde\n".repeat(size / 16)).substring(0, size);
    }
}
