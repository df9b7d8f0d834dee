// SPDX-License-Identifier: Apache-2.0
package dev.pollux.documentation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The page on troubleshooting quotes messages that exist, and leaves none of the loader's or the kernel's out. */
class TroubleshootingTest {
    private static final Page PAGE = Page.of("docs/troubleshooting.md");

    /** What is shorter may be anything. */
    private static final int TELLING = 10;

    /** The advice at the end of an entry of the tables of error codes. */
    private static final Pattern ADVICE = Pattern.compile("\"(: [^\"]+)\" \\}");

    /** The beginning of a reason of {@code top}. */
    private static final Pattern REASON = Pattern.compile("cannot\\(\"([^\"]+)\"");

    /** Where all that can go wrong before the first selector is open is put into words. */
    private static final List<String> LOADER = List.of("internal/jni/LoadAdvice", "internal/jni/LibraryFormat",
            "internal/jni/LibraryResource", "internal/jni/LibraryCopy", "internal/jni/NativeLibrary",
            "internal/startup/Startup", "internal/jdk/JdkAccess");

    /** The constant parts of the messages that the page quotes, each of which is written with … in between. */
    private static List<String> quoted() {
        return PAGE.firstCells().stream().filter(cell -> cell.startsWith("`"))
                .flatMap(cell -> Pattern.compile("`([^`]+)`").matcher(cell).results().map(code -> code.group(1)))
                .flatMap(message -> Pattern.compile("…").splitAsStream(message)).map(String::strip)
                .filter(part -> !part.isEmpty()).collect(Collectors.toList());
    }

    @Test
    void whatIsQuotedStandsInTheSources() throws IOException {
        List<String> sources = Sources.all();
        List<String> invented = quoted().stream()
                .filter(part -> sources.stream().noneMatch(source -> source.contains(part)))
                .collect(Collectors.toList());
        assertEquals(List.of(), invented);
        assertTrue(quoted().size() > TELLING, "nothing was quoted");
    }

    @Test
    void everyMessageOfTheLoaderIsExplained() throws IOException {
        List<List<String>> missing = new ArrayList<>();
        for (String name : LOADER) {
            for (List<String> message : Sources.messages(Sources.JAVA.resolve("dev/pollux/" + name + ".java"))) {
                if (message.stream().noneMatch(TroubleshootingTest::isExplained)) {
                    missing.add(message);
                }
            }
        }
        assertEquals(List.of(), missing);
    }

    @Test
    void everyReasonWhyTopCanNotLookAtAProcessIsExplained() throws IOException {
        List<String> missing = new ArrayList<>();
        int found = 0;
        for (Path file : Sources.files(Path.of("tools/src/main/java/dev/pollux/tools/top"), ".java")) {
            for (Matcher reason = REASON.matcher(Sources.read(file)); reason.find(); found++) {
                if (!isExplained(reason.group(1))) {
                    missing.add(reason.group(1));
                }
            }
        }
        assertEquals(List.of(), missing);
        assertTrue(found >= 10, "no reasons");
    }

    @Test
    void everyAdviceOnAnErrorOfTheKernelIsExplained() throws IOException {
        List<String> missing = new ArrayList<>();
        int found = 0;
        for (Path file : Sources.files(Sources.NATIVE, "error.c")) {
            for (Matcher advice = ADVICE.matcher(Files.readString(file)); advice.find(); found++) {
                if (!PAGE.text().contains(advice.group(1))) {
                    missing.add(advice.group(1));
                }
            }
        }
        assertEquals(List.of(), missing);
        assertTrue(found >= 8, "no tables of error codes");
    }

    private static boolean isExplained(String literal) {
        return quoted().stream().anyMatch(part -> part.length() >= TELLING
                && (literal.contains(part) || part.contains(literal)));
    }
}
