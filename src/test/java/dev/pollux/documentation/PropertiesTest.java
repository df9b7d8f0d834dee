// SPDX-License-Identifier: Apache-2.0
package dev.pollux.documentation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import dev.pollux.internal.jdk.PolluxProperties;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Every system property and provider of the code is documented, and every documented one exists. */
class PropertiesTest {
    private static final Pattern LITERAL = Pattern.compile("\"(dev\\.pollux(?:\\.[a-z]+)+)\"");
    private static final Pattern NAMED = Pattern.compile("dev\\.pollux(?:\\.[a-z]+)+");
    private static final Set<String> PACKAGES = Set.of("internal", "tools", "micro", "demo", "soak", "documentation");

    @Test
    void theTableHasEveryPropertyOfTheCodeAndNoOther() throws IOException {
        assertEquals(inCode(), inTable("`(dev\\.pollux\\.[a-z.]+)`"));
    }

    /** By this list a misspelt one is found. */
    @Test
    void theListHasEveryPropertyOfTheTableAndNoOther() {
        assertEquals(inTable("`(dev\\.pollux\\.[a-z.]+)`"), new TreeSet<>(PolluxProperties.known()));
    }

    @Test
    void theTableHasEveryProviderAndNoOther() throws IOException {
        Set<String> providers = Sources.files(Sources.JAVA, "SelectorProvider.java").stream()
                .map(file -> "dev.pollux." + file.getFileName().toString().replace(".java", ""))
                .collect(Collectors.toCollection(TreeSet::new));
        assertEquals(providers, inTable("`(dev\\.pollux\\.[A-Z][A-Za-z]+)`"));
    }

    @Test
    void noPageNamesAPropertyThatDoesNotExist() throws IOException {
        Set<String> known = inCode();
        for (Page page : Page.all()) {
            for (String code : page.code()) {
                NAMED.matcher(code).results().map(name -> name.group())
                        .filter(name -> !PACKAGES.contains(name.split("\\.")[2]) && code.contains("-D" + name))
                        .filter(name -> !name.startsWith("dev.pollux.test."))
                        .forEach(name -> assertEquals(true, known.contains(name), name + " in " + page.file()));
            }
        }
    }

    private static Set<String> inTable(String pattern) {
        Set<String> found = Page.of("docs/tuning.md").firstCells().stream().filter(cell -> cell.matches(pattern))
                .map(cell -> cell.replace("`", "")).collect(Collectors.toCollection(TreeSet::new));
        assertFalse(found.isEmpty());
        return found;
    }

    private static Set<String> inCode() throws IOException {
        Set<String> found = new TreeSet<>();
        for (Path file : Sources.java()) {
            if (file.endsWith("PolluxProperties.java")) {
                continue; // what stands there alone is read nowhere
            }
            LITERAL.matcher(Sources.read(file)).results().map(literal -> literal.group(1))
                    .filter(name -> !PACKAGES.contains(name.split("\\.")[2])).forEach(found::add);
        }
        return found;
    }
}
