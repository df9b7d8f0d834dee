// SPDX-License-Identifier: Apache-2.0
package dev.pollux.documentation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Every class and file that the pages on the design name exists. */
class ArchitecturePageTest {
    private static final List<String> PAGES = List.of("ARCHITECTURE.md", "docs/decisions.md");

    /** Classes of others that the pages speak of. */
    private static final Set<String> FOREIGN = Set.of("Selector", "SelectorProvider", "SelectorImpl",
            "SelectionKeyImpl", "SelectionKey", "AbstractSelector", "LockSupport", "StackOverflowError",
            "OutOfMemoryError", "IOException", "SocketChannel");

    private static final Set<String> PROJECT = files();

    @Test
    void everyClassThatIsNamedExists() {
        for (String page : PAGES) {
            assertEquals(List.of(), codeOf(page).filter(name -> name.matches("[A-Z][a-z]\\w*(\\.\\w+)?"))
                    .filter(name -> !isClass(name.replaceFirst("\\..*", ""))).collect(Collectors.toList()), page);
        }
    }

    @Test
    void everyFileThatIsNamedExists() {
        for (String page : PAGES) {
            assertEquals(List.of(), codeOf(page).filter(name -> name.matches("[\\w./-]+\\.(java|c|h|md|sh|mk)"))
                    .filter(name -> !isFile(name)).collect(Collectors.toList()), page);
        }
    }

    @Test
    void aClassThatIsGoneIsFound() {
        assertTrue(isClass("Poller") && isFile("pollux.h") && isFile("micro/floor.c"));
        assertTrue(!isClass("NoSuchClass") && !isFile("nowhere.c"));
    }

    private static Stream<String> codeOf(String page) {
        return Page.of(page).code().stream();
    }

    private static boolean isClass(String name) {
        return FOREIGN.contains(name) || isFile(name + ".java");
    }

    private static boolean isFile(String name) {
        return PROJECT.stream().anyMatch(file -> ('/' + file).endsWith('/' + name));
    }

    private static Set<String> files() {
        try (Stream<Path> files = Files.walk(Path.of(""))) {
            return files.map(file -> file.toString().replace('\\', '/'))
                    .filter(file -> !file.startsWith("target") && !file.startsWith(".git"))
                    .collect(Collectors.toCollection(TreeSet::new));
        } catch (IOException e) {
            throw new ExceptionInInitializerError(e);
        }
    }
}
