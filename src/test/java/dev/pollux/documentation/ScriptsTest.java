// SPDX-License-Identifier: Apache-2.0
package dev.pollux.documentation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The pages name each script that one runs by hand, and none that does not exist. */
class ScriptsTest {
    private static final Pattern SCRIPT = Pattern.compile("[\\w.-]+(?:/[\\w.-]+)+\\.sh");

    /** Other scripts call these. */
    private static final Set<String> PARTS = Set.of("micro/run.sh",
            "src/test/containers/in-image.sh", "src/test/portable/build.sh");

    private static Set<String> below(Predicate<String> folder) throws IOException {
        Set<String> found = new TreeSet<>();
        for (String root : List.of("src/test", "stress", "jtreg-tests", "compatibility")) {
            Sources.files(Path.of(root), ".sh").stream().map(file -> file.toString().replace('\\', '/'))
                    .filter(name -> !name.contains("/target/") && !PARTS.contains(name)).filter(folder)
                    .forEach(found::add);
        }
        assertFalse(found.isEmpty());
        return found;
    }

    private static Set<String> namedBy(String page) {
        return SCRIPT.matcher(Page.of(page).text()).results().map(MatchResult::group)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    @Test
    void thePagesOnTestsHaveEachScriptThatTests() throws IOException {
        Set<String> expected = below(name -> true);
        Set<String> found = namedBy("CONTRIBUTING.md");
        found.addAll(namedBy("docs/verification.md"));
        found.retainAll(expected);
        assertEquals(expected, found);
    }

    @Test
    void theTableOfMeasurementsHasEachProgram() throws IOException {
        Set<String> programs = new TreeSet<>(Set.of("start", "syscalls", "loops"));
        Pattern.compile("add\\(all, \"(\\w+)\"|\"(servers)\", \"(interrupt)\", \"(cache)\"")
                .matcher(Files.readString(Path.of("micro/src/main/java/dev/pollux/micro/Main.java"))).results()
                .flatMap(name -> IntStream.rangeClosed(1, name.groupCount()).mapToObj(name::group))
                .filter(Objects::nonNull).forEach(programs::add);
        assertEquals(programs, Page.of("micro/README.md").firstCells().stream()
                .filter(cell -> cell.matches("`[a-z]+`.*")).map(cell -> cell.replaceAll("`([a-z]+)`.*", "$1"))
                .collect(Collectors.toCollection(TreeSet::new)));
    }

    @Test
    void everyScriptThatIsNamedExists() throws IOException {
        for (Page page : Page.all()) {
            String own = page.file().toString().replaceFirst("[^/\\\\]*$", "");
            Set<String> found = namedBy(page.file().toString());
            found.removeIf(name -> Files.exists(Path.of(name)) || Files.exists(Path.of(own + name)));
            assertEquals(Set.of(), found, page.file().toString());
        }
    }
}
