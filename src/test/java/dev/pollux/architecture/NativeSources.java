// SPDX-License-Identifier: Apache-2.0
package dev.pollux.architecture;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The C files below a folder: which includes which, and which uses what another one defines. Immutable. */
final class NativeSources {
    private static final Pattern INCLUDE = Pattern.compile("(?m)^#include \"(.*)\"");
    private static final Pattern COMMENT_OR_STRING =
            Pattern.compile("(?s)/\\*.*?\\*/|//[^\n]*|\"(?:\\\\.|[^\"\\\\\n])*\"");
    private static final Pattern NAME = Pattern.compile("\\bplx_\\w+");

    /** A function or variable that other files see, where it is defined: it begins its line, and is not static. */
    private static final Pattern DEFINITION = Pattern.compile(
            "(?m)^(?!static|extern|typedef|enum|return)\\w[^;={}#()]*?\\b(plx_\\w+)(?:\\[[^]]*])?"
            + "(?:\\([^;{}]*\\)\\s*\\{|\\s*=|;)");

    /** By path from the folder, with slashes. */
    private final Map<String, String> texts;

    NativeSources(Map<String, String> texts) {
        this.texts = new TreeMap<>(texts);
    }

    /** {@return the files of these folders below a folder} */
    static NativeSources in(Path root, Set<String> folders) throws IOException {
        Map<String, String> texts = new TreeMap<>();
        for (String folder : folders) {
            try (Stream<Path> files = Files.list(root.resolve(folder))) {
                for (Path file : files.filter(each -> each.toString().matches(".*\\.[ch]")).toList()) {
                    texts.put(folder + '/' + file.getFileName(), Files.readString(file));
                }
            }
        }
        return new NativeSources(texts);
    }

    /** {@return from each file to those that it includes} */
    Map<String, Set<String>> includes() {
        Map<String, Set<String>> includes = new TreeMap<>();
        texts.forEach((file, text) -> includes.put(file, found(INCLUDE, text)));
        return includes;
    }

    /** {@return from each .c to those that define what it names} */
    Map<String, Set<String>> uses() {
        Map<String, String> definers = new HashMap<>();
        Map<String, String> bare = new TreeMap<>();
        texts.forEach((file, text) -> {
            if (file.endsWith(".c")) {
                bare.put(file, COMMENT_OR_STRING.matcher(text).replaceAll(" "));
                found(DEFINITION, bare.get(file)).forEach(name -> definers.put(name, file));
            }
        });
        Map<String, Set<String>> uses = new TreeMap<>();
        bare.forEach((file, text) -> {
            Set<String> used = new TreeSet<>();
            NAME.matcher(text).results().map(name -> definers.get(name.group()))
                    .filter(definer -> definer != null && !definer.equals(file)).forEach(used::add);
            uses.put(file, used);
        });
        return uses;
    }

    /** {@return a circle, from a file to itself; empty if there is none} */
    static List<String> circle(Map<String, Set<String>> arrows) {
        Map<String, Set<String>> left = new TreeMap<>(arrows);
        while (left.values().removeIf(to -> to.stream().noneMatch(left::containsKey))) {
            // what has no arrow to one that is left is in no circle
        }
        return left.isEmpty() ? List.of() : walk(left);
    }

    private static List<String> walk(Map<String, Set<String>> arrows) {
        List<String> way = new ArrayList<>();
        String at = arrows.keySet().iterator().next();
        while (!way.contains(at)) {
            way.add(at);
            at = arrows.get(at).stream().filter(arrows::containsKey).findFirst().orElseThrow();
        }
        way.add(at);
        return way.subList(way.indexOf(at), way.size());
    }

    private static Set<String> found(Pattern pattern, String text) {
        Set<String> found = new TreeSet<>();
        Matcher matcher = pattern.matcher(text);
        while (matcher.find()) {
            found.add(matcher.group(1));
        }
        return found;
    }
}
