// SPDX-License-Identifier: Apache-2.0
package dev.pollux.documentation;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A page in Markdown. Immutable.
 *
 * @param file where it stands, relative to the project
 * @param text all of it
 */
record Page(Path file, String text) {
    private static final Set<String> FOREIGN_FOLDERS = Set.of(".git", "target", "node_modules", "results");

    private static final Pattern FENCED = Pattern.compile("^```.*?^```", Pattern.MULTILINE | Pattern.DOTALL);
    private static final Pattern INDENTED = Pattern.compile("^ {4}.*$", Pattern.MULTILINE);
    private static final Pattern CODE = Pattern.compile("`[^`\n]+`");
    private static final Pattern LINK = Pattern.compile("\\]\\(([^)\\s]+)\\)");
    private static final Pattern HEADING = Pattern.compile("^#{1,6} +(.+)$", Pattern.MULTILINE);

    static Page of(String file) {
        return of(Path.of(file));
    }

    private static Page of(Path file) {
        try {
            return new Page(file, Files.readString(file));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Every page of the project. */
    static List<Page> all() throws IOException {
        try (Stream<Path> files = Files.walk(Path.of(""))) {
            return files.filter(file -> file.toString().endsWith(".md")).filter(Page::isOurs).map(Page::of)
                    .collect(Collectors.toList());
        }
    }

    private static boolean isOurs(Path file) {
        for (Path part : file) {
            if (FOREIGN_FOLDERS.contains(part.toString())) {
                return false;
            }
        }
        return true;
    }

    /** The targets of its links and pictures, in its order. */
    List<String> links() {
        String prose = CODE.matcher(withoutBlocks()).replaceAll("");
        return LINK.matcher(prose).results().map(link -> link.group(1)).collect(Collectors.toList());
    }

    /** The anchors of its headings, as GitHub makes them. */
    Set<String> anchors() {
        Set<String> anchors = new TreeSet<>();
        HEADING.matcher(FENCED.matcher(text).replaceAll("")).results()
                .map(heading -> anchor(heading.group(1))).forEach(anchor -> {
                    String unique = anchor;
                    for (int i = 1; !anchors.add(unique); i++) {
                        unique = anchor + '-' + i;
                    }
                });
        return anchors;
    }

    /** Its headings, with their number signs. */
    List<String> headings() {
        return HEADING.matcher(FENCED.matcher(text).replaceAll("")).results().map(MatchResult::group)
                .collect(Collectors.toList());
    }

    /** The words in backquotes outside of blocks of code. */
    List<String> code() {
        return CODE.matcher(FENCED.matcher(text).replaceAll("")).results()
                .map(code -> code.group().substring(1, code.group().length() - 1)).collect(Collectors.toList());
    }

    /** The first cells of the rows of tables, heads and rules included. */
    List<String> firstCells() {
        return text.lines().filter(line -> line.startsWith("|")).map(line -> line.split("\\|")[1].strip())
                .collect(Collectors.toList());
    }

    private String withoutBlocks() {
        return INDENTED.matcher(FENCED.matcher(text).replaceAll("")).replaceAll("");
    }

    private static String anchor(String heading) {
        return heading.strip().toLowerCase(Locale.ROOT).replaceAll("[^\\p{L}\\p{N}_ -]", "").replace(' ', '-');
    }
}
