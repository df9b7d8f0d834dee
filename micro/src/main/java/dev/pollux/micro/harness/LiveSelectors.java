// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.harness;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Finds the selectors in the heap of a running virtual machine, to which nothing was added. Stateless. */
public final class LiveSelectors {
    /** A line of the histogram: number, instances, bytes, class. Nested classes are not selectors. */
    private static final Pattern SELECTOR = Pattern.compile("\\s*\\d+:\\s+(\\d+)\\s+\\d+\\s+"
            + "((?:sun\\.nio\\.ch|dev\\.pollux)\\.[\\w.]*Selector(?:Impl)?)\\b(?!\\$).*");

    private LiveSelectors() {
    }

    /** The classes of all live selectors, each with the number of its instances. */
    public static List<String> of(long pid) throws IOException {
        // A headless JRE of Debian has no bin/jcmd, but it has the module that jcmd runs.
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        return Command.output(List.of(java, "-m", "jdk.jcmd/sun.tools.jcmd.JCmd", "" + pid, "GC.class_histogram"))
                .lines().map(SELECTOR::matcher).filter(Matcher::matches)
                .map(line -> line.group(2) + " x" + line.group(1)).sorted().toList();
    }
}
