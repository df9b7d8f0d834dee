// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.demo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.micro.demo.Section.Bar;
import dev.pollux.tools.common.Spread;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What the demo tells, on a terminal and as a page. */
class SectionTest {
    private static final Section SECTION = new Section("Tomcat & others", List.of("Short.", "long word ".repeat(20)),
            List.of(new Bar("JDK", new Spread(100, 95, 105), ""),
                    new Bar("Pollux", new Spread(200, 190, 210), "more by 85 to 115 %")), List.of("log: a<b>"));

    @Test
    void aBarIsThinnerWhereItMayBeNoise() {
        List<String> lines = SECTION.lines();
        assertTrue(lines.contains("   JDK           100  " + "#".repeat(19) + "-".repeat(2)), lines::toString);
        assertTrue(lines.contains("   Pollux        200  " + "#".repeat(38) + "-".repeat(4) + "  more by 85 to 115 %"),
                lines::toString);
    }

    @Test
    void noLineIsLongerThan100Columns() {
        assertEquals(List.of(), SECTION.lines().stream().filter(line -> line.length() > 100).toList());
        assertEquals(8, SECTION.lines().size(), SECTION.lines()::toString);
    }

    @Test
    void nothingIsClaimedBesideOtherPrograms() {
        Section told = Demo.comparison("web", new Demo.Measured(List.of(), List.of(
                new Demo.Sample("web", "jdk", 9, 1, 0.5, 0), new Demo.Sample("web", "auto", 8, 1, 0.5, 0))), "");
        assertTrue(told.text().get(0).contains("too busy to tell: other programs left the server 50"), told::toString);
        assertEquals(List.of("", ""), told.bars().stream().map(Bar::verdict).toList());
    }

    @Test
    void thePageNeedsNoOtherFile() {
        String page = Page.of(List.of(SECTION));
        for (String reference : List.of("<link", "<script", "<img", "src=", "url(", "@import", "http")) {
            assertFalse(page.contains(reference), reference);
        }
        assertTrue(page.contains("<h2>Tomcat &amp; others</h2>"), page);
        assertTrue(page.contains("log: a&lt;b&gt;"), page);
        assertTrue(page.contains("width:95.2%"), page);
        assertTrue(page.contains("more by 85 to 115 %"), page);
    }
}
