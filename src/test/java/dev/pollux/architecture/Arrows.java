// SPDX-License-Identifier: Apache-2.0
package dev.pollux.architecture;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.spi.ToolProvider;

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

    static List<Arrow> of(Path classes) {
        StringWriter out = new StringWriter();
        ToolProvider jdeps = ToolProvider.findFirst("jdeps").orElseThrow();
        PrintWriter writer = new PrintWriter(out);
        // All modules, since it finds nothing in those that ours requires at compile time only.
        int exit = jdeps.run(writer, writer, "--add-modules", "ALL-SYSTEM", "-verbose:class", "-filter:none",
                classes.toString());
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
