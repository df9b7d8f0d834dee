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
import org.junit.jupiter.api.Test;

/** The version stands in build/pom.xml. Where else it is written, it is the same. */
class VersionTest {
    private static final Pattern JAR = Pattern.compile("pollux-(\\d+\\.\\d+\\.\\d+)");
    private static final Pattern IN_POM = Pattern.compile("<artifactId>pollux[a-z-]*</artifactId>\\s*<version>(.+?)<");
    private static final Pattern IN_CHANGES = Pattern.compile("^## (\\S+?),? ", Pattern.MULTILINE);

    private final String version = first(IN_POM, "build/pom.xml");

    @Test
    void commandsInTheDocumentationNameTheJarOfThisVersion() throws IOException {
        List<String> others = new ArrayList<>();
        int found = 0;
        for (Page page : Page.all()) {
            for (Matcher jar = JAR.matcher(page.text()); jar.find(); found++) {
                if (!jar.group(1).equals(version)) {
                    others.add(page.file() + ": " + jar.group());
                }
            }
        }
        assertEquals(List.of(), others);
        assertTrue(found > 0);
    }

    @Test
    void theChangeLogBeginsWithIt() {
        assertEquals(version, first(IN_CHANGES, "CHANGELOG.md"));
    }

    @Test
    void eachModuleHasTheSame() {
        for (String folder : List.of("", "server/", "tools/", "micrometer/", "micro/", "stress/", "compatibility/")) {
            assertEquals(version, first(IN_POM, folder + "pom.xml"), folder);
        }
    }

    private static String first(Pattern pattern, String file) {
        try {
            Matcher matcher = pattern.matcher(Files.readString(Path.of(file)));
            assertTrue(matcher.find(), file);
            return matcher.group(1);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
