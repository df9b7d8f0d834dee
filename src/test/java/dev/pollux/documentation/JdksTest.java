// SPDX-License-Identifier: Apache-2.0
package dev.pollux.documentation;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.pollux.internal.jdk.JdkAccess;
import java.io.IOException;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Which JDKs are supported is said once. */
class JdksTest {
    private static final String PAGE = "docs/platforms.md";

    private static List<String> ranges(Page page) {
        return page.text().lines().filter(line -> line.matches(".*(JDKs?|from) 17 to \\d\\d\\b.*"))
                .collect(Collectors.toList());
    }

    @Test
    void thePageHasTheNewestJdkOfTheCode() {
        List<String> ranges = ranges(Page.of(PAGE));
        assertEquals(1, ranges.size(), ranges::toString);
        assertEquals("17 to " + JdkAccess.MAX_JDK, ranges.get(0).replaceAll(".*(17 to \\d\\d).*", "$1"));
    }

    @Test
    void noOtherPageNamesARange() throws IOException {
        for (Page page : Page.all()) {
            assertEquals(page.file().endsWith("platforms.md") ? 1 : 0, ranges(page).size(), page.file().toString());
        }
    }
}
