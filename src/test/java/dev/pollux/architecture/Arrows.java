// SPDX-License-Identifier: Apache-2.0
package dev.pollux.architecture;

import java.io.File;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.spi.ToolProvider;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Which class refers to which, as {@code jdeps} reads it off the class files. */
final class Arrows {

    /** An arrow from a class of ours to a class, and where that one is: a module, or "not found". */
    record Arrow(String from, String to, String home) {

        String fromPackage() {
            return packageOf(from);
        }

        String toPackage() {
            return packageOf(to);
        }

        private static String packageOf(String name) {
            return name.substring(0, name.lastIndexOf('.'));
        }
    }

    /** "   a.B -> c.D   java.base", or "... JDK internal API (java.base)". */
    private static final Pattern LINE = Pattern.compile("\\s+(\\S+)\\s+->\\s+(\\S+)\\s+(.+?)\\s*");

    private Arrows() {
    }

    /** A nested class may do what the class around it may. */
    static String outermost(String name) {
        return name.replaceFirst("\\$.*", "");
    }

    /** Takes away, again and again, what no arrow leads to or leaves: the rest is on circles, or between two. */
    static Set<String> onCircles(Set<Arrow> arrows) {
        Set<Arrow> left = new HashSet<>(arrows);
        boolean isChanged = true;
        while (isChanged) {
            Set<String> reached = left.stream().map(Arrow::to).collect(Collectors.toSet());
            Set<String> leaving = left.stream().map(Arrow::from).collect(Collectors.toSet());
            isChanged = left.removeIf(arrow -> !reached.contains(arrow.from()) || !leaving.contains(arrow.to()));
        }
        return left.stream().map(arrow -> arrow.from() + " -> " + arrow.to()).collect(Collectors.toSet());
    }

    /** Those from these classes, to theirs and to those of the others. */
    static List<Arrow> of(Path classes, Path... others) {
        StringWriter out = new StringWriter();
        ToolProvider jdeps = ToolProvider.findFirst("jdeps").orElseThrow();
        PrintWriter writer = new PrintWriter(out);
        // All modules, since it finds nothing in those that ours requires at compile time only.
        List<String> options =
                new ArrayList<>(List.of("--add-modules", "ALL-SYSTEM", "-verbose:class", "-filter:none"));
        if (others.length > 0) {
            options.add(Files.exists(classes.resolve("module-info.class")) ? "--module-path" : "-cp");
            options.add(Stream.of(others).map(Path::toString).collect(Collectors.joining(File.pathSeparator)));
        }
        options.add(classes.toString());
        int exit = jdeps.run(writer, writer, options.toArray(String[]::new));
        if (exit != 0) {
            throw new IllegalStateException("jdeps failed: " + out);
        }
        return parse(out.toString());
    }

    static List<Arrow> parse(String report) {
        List<Arrow> arrows = new ArrayList<>();
        report.lines().forEach(line -> {
            Matcher matcher = LINE.matcher(line);
            if (matcher.matches()) {
                arrows.add(new Arrow(matcher.group(1), matcher.group(2), home(matcher.group(3))));
            }
        });
        return arrows;
    }

    private static String home(String column) {
        return column.replaceAll("JDK internal API \\((.*)\\)", "$1");
    }
}
