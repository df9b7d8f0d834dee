// SPDX-License-Identifier: Apache-2.0
package dev.pollux.tools.common;

import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.stream.Collectors;

/** A table that a command prints. Its rows are of one type. Immutable. */
public record TextTable<R>(List<Column<R>> columns) {

    /** A column, and how its cell is found in a row. The width is not 0; negative ones align cells to the left. */
    public record Column<R>(String heading, int width, Function<R, Object> cell) {
    }

    /** {@return the line of the headings} */
    public String head() {
        return line(Column::heading);
    }

    /** {@return the line of this row} */
    public String row(R row) {
        return line(column -> column.cell.apply(row));
    }

    /** {@return how long a line is, if no cell is wider than its column} */
    public int width() {
        return columns.stream().mapToInt(column -> Math.abs(column.width) + 1).sum() - 1;
    }

    /** {@return the same without the column of this heading} */
    public TextTable<R> without(String heading) {
        return new TextTable<>(columns.stream().filter(column -> !column.heading.equals(heading)).toList());
    }

    private String line(Function<Column<R>, Object> content) {
        return columns.stream().map(column -> String.format(Locale.ROOT, "%" + column.width + 's',
                content.apply(column))).collect(Collectors.joining(" ")).stripTrailing();
    }
}
