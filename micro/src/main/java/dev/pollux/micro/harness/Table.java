// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.harness;

import com.github.freva.asciitable.AsciiTable;
import com.github.freva.asciitable.Column;
import com.github.freva.asciitable.HorizontalAlign;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Rows for people: the first column holds names, the others numbers. Not thread-safe. */
public final class Table {
    private final Column[] columns;
    private final List<Object[]> rows = new ArrayList<>();

    public Table(String... headers) {
        columns = Stream.of(headers).map(header -> new Column().header(header).maxWidth(60)
                .dataAlign(header.equals(headers[0]) ? HorizontalAlign.LEFT : HorizontalAlign.RIGHT))
                .toArray(Column[]::new);
    }

    /** Adds a row with as many cells as there are headers. */
    public void add(Object... cells) {
        rows.add(cells);
    }

    @Override
    public String toString() {
        return AsciiTable.getTable(AsciiTable.BASIC_ASCII_NO_DATA_SEPARATORS, columns, rows.toArray(Object[][]::new));
    }
}
