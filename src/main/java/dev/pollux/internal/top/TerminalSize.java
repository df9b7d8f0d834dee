// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.top;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** How much a terminal has room for. Java does not tell, stty(1) does. Immutable. */
record TerminalSize(int rows, int columns) {
    static final TerminalSize UNKNOWN = new TerminalSize(Integer.MAX_VALUE, Integer.MAX_VALUE);

    private static final File TERMINAL = new File("/dev/tty");

    /** The lines above and below the loops. */
    private static final int OTHERS = 3;

    /** {@return the size at this moment: a window may be made smaller} */
    static TerminalSize now() {
        try {
            Process stty = new ProcessBuilder("stty", "size").redirectInput(TERMINAL)
                    .redirectError(ProcessBuilder.Redirect.DISCARD).start();
            try (BufferedReader out = new BufferedReader(
                    new InputStreamReader(stty.getInputStream(), StandardCharsets.US_ASCII))) {
                return of(String.valueOf(out.readLine()));
            }
        } catch (IOException noTerminal) {
            return UNKNOWN;
        }
    }

    /** {@return what stty has printed: lines and columns, which are 0 if the terminal does not know them} */
    static TerminalSize of(String printed) {
        String[] size = printed.split(" ");
        try {
            int rows = Integer.parseInt(size[0]);
            return rows > 0 ? new TerminalSize(rows, Integer.parseInt(size[1])) : UNKNOWN;
        } catch (NumberFormatException | ArrayIndexOutOfBoundsException noSize) {
            return UNKNOWN;
        }
    }

    boolean hasRoomFor(int loops) {
        return loops < rows - OTHERS; // one more line is left for what the user types
    }

    /** {@return of these lines what there is room for, and a line left for what the user types} */
    List<String> fitting(List<String> lines) {
        List<String> shown = new ArrayList<>(lines.subList(0, Math.min(lines.size(), Math.max(1, rows - 2))));
        if (shown.size() < lines.size()) {
            shown.add("... and " + (lines.size() - shown.size()) + " more lines; --once shows all");
        }
        return shown.stream().map(line -> line.length() < columns ? line : line.substring(0, columns - 1))
                .collect(Collectors.toList());
    }
}
