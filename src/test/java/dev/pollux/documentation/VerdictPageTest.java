// SPDX-License-Identifier: Apache-2.0
package dev.pollux.documentation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.internal.verdict.SpinKind;
import dev.pollux.internal.verdict.Verdict;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The pages have each verdict, each reason why a key makes a selector spin, and each notification, and no others. */
class VerdictPageTest {
    private static final Page PAGE = Page.of("docs/insight.md");

    /** The first cells of the rows of a table, given how its heading begins. */
    private static List<String> rows(Page page, String heading) {
        return page.text().lines().dropWhile(line -> !line.startsWith("| " + heading + " |")).skip(2)
                .takeWhile(line -> line.startsWith("|")).map(line -> line.split("\\|")[1].strip().replace("`", ""))
                .collect(Collectors.toList());
    }

    @Test
    void thePageHasEachVerdictTheWorstFirst() {
        assertEquals(Stream.of(Verdict.Kind.values()).map(Verdict.Kind::words).filter(words -> !words.isEmpty())
                .collect(Collectors.toList()), rows(PAGE, "verdict"));
    }

    /** The cell says when: "once", or "no". */
    @Test
    void thePageSaysWhichVerdictsAreTold() {
        for (Verdict.Kind kind : Verdict.Kind.values()) {
            String row = PAGE.text().lines().filter(line -> line.startsWith("| `" + kind.words() + "` |")).findFirst()
                    .orElse("| no |");
            assertEquals(kind.isTold(), !row.endsWith("| no |"), row);
        }
    }

    @Test
    void thePageHasEachReasonOfASpin() {
        assertEquals(Stream.of(SpinKind.values()).map(SpinKind::cause).collect(Collectors.toList()),
                rows(PAGE, "the warning says"));
    }

    @Test
    void monitoringHasEachNotification() {
        List<String> types = rows(Page.of("docs/monitoring.md"), "type");
        assertTrue(types.size() >= 5, types::toString);
        assertEquals(Stream.of(Verdict.Kind.values()).filter(Verdict.Kind::isTold)
                .map(Verdict.Kind::notificationType).sorted().collect(Collectors.toList()),
                types.stream().sorted().collect(Collectors.toList()));
    }
}
