// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.demo;

import dev.pollux.tools.common.Spread;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * A part of what the demo tells, on the terminal and on its page.
 *
 * @param text sentences
 * @param bars what is drawn below the text
 * @param quoted what a program printed, below both
 */
record Section(String title, List<String> text, List<Bar> bars, List<String> quoted) {
    private static final int COLUMNS = 100;
    private static final int WIDEST_BAR = 42;

    /**
     * A way with its figures.
     *
     * @param requests per second of processor time
     * @param verdict beside the first bar; empty for that itself
     */
    record Bar(String way, Spread requests, String verdict) {
    }

    /** {@return what all bars fit into} */
    double most() {
        return bars.stream().mapToDouble(bar -> bar.requests.high()).max().orElse(0);
    }

    /** For a terminal of 100 columns, in ASCII. Of a bar the part that may be noise is thinner. */
    List<String> lines() {
        List<String> lines = new ArrayList<>(List.of("== " + title));
        text.forEach(sentence -> wrap(lines, "   ", sentence));
        for (Bar bar : bars) {
            int certain = (int) Math.round(WIDEST_BAR * bar.requests.low() / most());
            int possible = (int) Math.round(WIDEST_BAR * bar.requests.high() / most());
            lines.add(String.format(Locale.ROOT, "   %-9s %7.0f  %-" + WIDEST_BAR + "s  %s", bar.way,
                    bar.requests.median(), "#".repeat(certain) + "-".repeat(possible - certain), bar.verdict)
                    .stripTrailing());
        }
        quoted.forEach(line -> wrap(lines, "   | ", line));
        return lines;
    }

    /** What has no blank stays in one piece. */
    private static void wrap(List<String> lines, String indent, String text) {
        StringBuilder line = new StringBuilder(indent);
        for (String word : text.split(" ")) {
            if (line.length() > indent.length() && line.length() + word.length() > COLUMNS) {
                lines.add(line.toString().stripTrailing());
                line.setLength(indent.length());
            }
            line.append(word).append(' ');
        }
        lines.add(line.toString().stripTrailing());
    }
}
