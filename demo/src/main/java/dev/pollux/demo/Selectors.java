// SPDX-License-Identifier: Apache-2.0
package dev.pollux.demo;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Looks into a running virtual machine, to which nothing was added, for the selectors that live in its heap. */
final class Selectors {
    /** A line of the histogram: number, instances, bytes, class. Nested classes are not selectors. */
    private static final Pattern SELECTOR =
            Pattern.compile("\\s*\\d+:\\s+(\\d+)\\s+\\d+\\s+((?:sun\\.nio\\.ch|dev\\.pollux)\\.[\\w.]*Selector(?:Impl)?)\\b(?!\\$).*");

    private Selectors() {
    }

    /** The classes of all live selectors, each with the number of its instances. */
    static List<String> of(long pid) throws IOException, InterruptedException {
        // A headless JRE of Debian has no bin/jcmd, but the module that it starts.
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        Process process = new ProcessBuilder(java, "-m", "jdk.jcmd/sun.tools.jcmd.JCmd", "" + pid, "GC.class_histogram")
                .redirectErrorStream(true).start();
        List<String> lines = process.inputReader().lines().collect(Collectors.toList());
        if (process.waitFor() != 0) {
            throw new IOException("jcmd " + pid + ": " + lines);
        }
        return lines.stream().map(SELECTOR::matcher).filter(Matcher::matches)
                .map(line -> line.group(2) + " x" + line.group(1)).sorted().toList();
    }
}
