// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.verdict;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The limits on the page are those of the code. */
class LimitsTest {
    private static final Pattern ROW = Pattern.compile("^\\| `([A-Z_]+)` \\| (\\d+) ?(s|ms|\u00b5s|) \\|",
            Pattern.MULTILINE);

    private static final Map<String, Long> UNITS = Map.of("s", TimeUnit.SECONDS.toNanos(1), "ms",
            TimeUnit.MILLISECONDS.toNanos(1), "\u00b5s", TimeUnit.MICROSECONDS.toNanos(1), "", 1L);

    @Test
    void thePageHasTheNumbersOfTheCode() throws Exception {
        Map<String, Long> page = new TreeMap<>();
        Map<String, Long> code = new TreeMap<>();
        for (Matcher row = ROW.matcher(Files.readString(Path.of("docs/insight-reference.md"))); row.find();) {
            String name = row.group(1);
            page.put(name, Long.parseLong(row.group(2)) * UNITS.get(row.group(3)));
            code.put(name, ((Number) Limits.class.getDeclaredField(name).get(null)).longValue());
        }
        assertTrue(page.size() >= 12, page::toString);
        assertEquals(code, page);
    }

    @Test
    void thePagesHaveTheTimeAfterWhichALoopIsBlocked() throws Exception {
        long millis = TimeUnit.NANOSECONDS.toMillis(Detectors.blockedNanos());
        assertTrue(Files.readString(Path.of("docs/insight-reference.md")).contains(": " + millis + " ms."));
        assertTrue(Files.readString(Path.of("docs/insight.md"))
                .contains("another time than " + millis + " milliseconds"));
    }
}
