// SPDX-License-Identifier: Apache-2.0
package dev.pollux.tools.top;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** The size of a terminal, as stty(1) tells it. Immutable. */
record TerminalSize(int rows, int columns) {
    static final TerminalSize UNKNOWN = new TerminalSize(Integer.MAX_VALUE, Integer.MAX_VALUE);

    /** The lines above and below the loops. */
    private static final int OTHERS = 3;

    /** {@return what stty has printed: lines and columns, which are 0 if the terminal does not know them} */
    static TerminalSize of(String printed) {
        String[] size = printed.split(" ");
        try {
            TerminalSize told = new TerminalSize(Integer.parseInt(size[0]), Integer.parseInt(size[1]));
            return told.rows > 0 && told.columns > 0 ? told : UNKNOWN;
        } catch (NumberFormatException | ArrayIndexOutOfBoundsException noSize) {
            return UNKNOWN;
        }
    }

    /** {@return how long a line may be: the last column is left free, since some terminals wrap behind it} */
    int width() {
        return columns - 1;
    }

    /** {@return this text in lines that fit, broken at spaces if there are any; none if it is empty} */
    List<String> wrap(String text) {
        List<String> lines = new ArrayList<>();
        String rest = text;
        while (rest.length() > width()) {
            int space = rest.lastIndexOf(' ', width());
            int end = space > 0 ? space : Math.max(1, width());
            lines.add(rest.substring(0, end));
            rest = rest.substring(end).stripLeading();
        }
        if (!rest.isEmpty()) {
            lines.add(rest);
        }
        return lines;
    }

    boolean hasRoomFor(int loops) {
        return loops < rows - OTHERS; // one more line is left for what the user types
    }

    /** {@return of these lines what there is room for, and a line left for what the user types} */
    List<String> fit(List<String> lines) {
        List<String> shown = new ArrayList<>(lines.subList(0, Math.min(lines.size(), Math.max(1, rows - 2))));
        if (shown.size() < lines.size()) {
            shown.add("... and " + (lines.size() - shown.size()) + " more lines; --once shows all");
        }
        return shown.stream().map(line -> line.substring(0, Math.min(line.length(), width())))
                .collect(Collectors.toList());
    }
}
