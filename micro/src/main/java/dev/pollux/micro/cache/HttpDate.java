// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.cache;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

/** The date as HTTP has it (RFC 9110, 5.6.7), made once in a second. Safe for use by many threads. */
final class HttpDate {
    private static final DateTimeFormatter FORMAT =
            DateTimeFormatter.ofPattern("EEE, dd MMM yyyy HH:mm:ss 'GMT'", Locale.ROOT).withZone(ZoneOffset.UTC);

    private static volatile HttpDate last = new HttpDate(0);

    private final long second;
    private final String text;

    private HttpDate(long second) {
        this.second = second;
        text = FORMAT.format(Instant.ofEpochSecond(second));
    }

    static String now() {
        long second = System.currentTimeMillis() / 1000;
        HttpDate date = last;
        if (date.second != second) {
            last = date = new HttpDate(second);
        }
        return date.text;
    }
}
