// SPDX-License-Identifier: Apache-2.0
package dev.pollux.documentation;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Finds files below {@code src/main} of each artifact, and the texts in them. Stateless. */
final class Sources {
    static final Path JAVA = Path.of("src", "main", "java");
    static final Path NATIVE = Path.of("src", "main", "native");

    /** Of all artifacts that the pages tell of. */
    private static final List<Path> ALL =
            List.of(JAVA, Path.of("server").resolve(JAVA), Path.of("tools").resolve(JAVA));

    private static final Pattern JOINT = Pattern.compile("\"\\s*\\+\\s*\"");
    private static final Pattern LITERAL = Pattern.compile("\"((?:[^\"\\\\\n]|\\\\.)*)\"");
    private static final Pattern THROWN = Pattern.compile("new IOException\\(([^;]*?)\\);", Pattern.DOTALL);
    private static final Pattern RETURNED = Pattern.compile("return (\"[^;]*?);", Pattern.DOTALL);

    private Sources() {
    }

    static List<Path> files(Path root, String suffix) throws IOException {
        try (Stream<Path> files = Files.walk(root)) {
            return files.filter(file -> file.toString().endsWith(suffix)).sorted().collect(Collectors.toList());
        }
    }

    /** The Java sources of all artifacts. */
    static List<Path> java() throws IOException {
        List<Path> sources = new ArrayList<>();
        for (Path root : ALL) {
            sources.addAll(files(root, ".java"));
        }
        return sources;
    }

    /** The sources of the library, Java's and C's, with literals that are put together made one. */
    static List<String> all() throws IOException {
        List<String> sources = new ArrayList<>();
        for (Path file : java()) {
            sources.add(read(file));
        }
        for (Path file : files(NATIVE, ".c")) {
            sources.add(read(file));
        }
        return sources;
    }

    static String read(Path file) throws IOException {
        return JOINT.matcher(Files.readString(file)).replaceAll("");
    }

    /** For each exception that a source throws, and each text that it returns, the literals that it is made of. */
    static List<List<String>> messages(Path file) throws IOException {
        String source = read(file);
        return Stream.of(THROWN, RETURNED).flatMap(pattern -> pattern.matcher(source).results())
                .map(message -> literals(message.group(1))).filter(literals -> !literals.isEmpty())
                .collect(Collectors.toList());
    }

    private static List<String> literals(String expression) {
        List<String> found = new ArrayList<>();
        for (Matcher literal = LITERAL.matcher(expression); literal.find();) {
            if (literal.group(1).strip().contains(" ")) {
                found.add(literal.group(1).strip());
            }
        }
        return found;
    }
}
