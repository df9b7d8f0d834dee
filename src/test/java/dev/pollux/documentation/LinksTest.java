// SPDX-License-Identifier: Apache-2.0
package dev.pollux.documentation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Every link of every page leads to a file of the project, and to a heading of it, which stands there once. */
class LinksTest {

    @Test
    void everyRelativeLinkLeadsSomewhere() throws IOException {
        List<String> broken = new ArrayList<>();
        for (Page page : Page.all()) {
            broken.addAll(broken(page));
        }
        assertEquals(List.of(), broken);
    }

    @Test
    void everyPageOfDocsIsLinkedFromTheReadme() throws IOException {
        List<String> links = Page.of("README.md").links();
        for (Path page : Sources.files(Path.of("docs"), ".md")) {
            assertTrue(links.contains("docs/" + page.getFileName()), page + " is not linked from README.md");
        }
    }

    @Test
    void everyPlotIsShownOrLinked() throws IOException {
        List<String> links = new ArrayList<>();
        for (Path page : Sources.files(Path.of("docs"), ".md")) {
            links.addAll(Page.of(page.toString()).links());
        }
        for (Path plot : Sources.files(Path.of("docs"), ".svg")) {
            assertTrue(links.contains(plot.getFileName().toString()), plot + " is on no page");
        }
    }

    /** A merge that went wrong has left half a page twice. The change log repeats its headings for each version. */
    @Test
    void noHeadingOfOneLevelStandsTwiceOnAPage() throws IOException {
        for (Page page : Page.all()) {
            Set<String> seen = new HashSet<>();
            for (String heading : page.headings()) {
                assertTrue(seen.add(heading) || page.file().endsWith("CHANGELOG.md"), page.file() + ": " + heading);
            }
        }
    }

    @Test
    void aLinkWithoutItsFileOrHeadingIsFound() {
        for (String target : List.of("nowhere.md", "README.md#no-such-heading", "#no-such-heading")) {
            assertNotEquals(List.of(), broken(new Page(Path.of("made-up.md"), "# Made up\n[x](" + target + ")")));
        }
        assertEquals(List.of(), broken(new Page(Path.of("made-up.md"), "# Made up\n`[x](y)` [x](#made-up)")));
    }

    private static List<String> broken(Page page) {
        List<String> broken = new ArrayList<>();
        for (String link : page.links()) {
            if (!link.matches("[a-z]+:.*") && !resolves(page, link)) {
                broken.add(page.file() + ": " + link);
            }
        }
        return broken;
    }

    private static boolean resolves(Page page, String link) {
        String[] parts = link.split("#", 2);
        Path target = parts[0].isEmpty() ? page.file() : page.file().resolveSibling(parts[0]).normalize();
        if (!parts[0].isEmpty() && !Files.exists(target)) {
            return false;
        }
        return parts.length == 1 || (parts[0].isEmpty() ? page : Page.of(target.toString())).anchors()
                .contains(parts[1]);
    }
}
