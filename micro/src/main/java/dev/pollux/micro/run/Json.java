// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.run;

import dev.pollux.micro.run.Row.Side;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** Writes every figure of every round, so that tables and plots can be made without measuring again. */
final class Json {
    private Json() {
    }

    static void write(Plan plan, List<Row> rows) throws IOException {
        List<String> objects = new ArrayList<>();
        for (Row row : rows) {
            row.figures().forEach(figure -> objects.add(object(row, figure)));
        }
        String head = String.format(Locale.ROOT, """
                {"java": "%s", "os": "%s %s", "processors": %d,
                 "rounds": %d, "iterations": %d, "millis": %d, "virtual": %b, "clock": "%s", "results": [
                """,
                Runtime.version(), System.getProperty("os.name"), System.getProperty("os.version"),
                Runtime.getRuntime().availableProcessors(),
                plan.rounds(), plan.iterations(), plan.millis(), plan.virtual(), plan.cpu() ? "cpu" : "wall");
        Files.createDirectories(plan.json().toAbsolutePath().getParent());
        Files.writeString(plan.json(), head + String.join(",\n", objects) + "\n]}\n");
    }

    private static String object(Row row, String figure) {
        return String.format(Locale.ROOT, """
                {"benchmark": "%s", "value": "%s", "figure": "%s", "mechanism": "%s", "option": "%s",
                 "base": %s,
                 "other": %s,
                 "floor_libc_ns": %s, "floor_raw_ns": %s}""",
                row.what.name(), row.what.value(), figure, row.pair.mechanism(), row.option,
                side(row, Side.BASE, row.pair.base(), figure),
                side(row, Side.OTHER, row.pair.other(), figure),
                array(row.nanos(Side.LIBC, figure)), array(row.nanos(Side.RAW, figure)));
    }

    private static String side(Row row, Side side, String provider, String figure) {
        return String.format(Locale.ROOT, "{\"provider\": \"%s\", \"ns\": %s, \"bytes\": %s, \"all_bytes\": %s}",
                provider, array(row.nanos(side, figure)), array(row.bytes(side)), array(row.allBytes(side)));
    }

    private static String array(List<Double> numbers) {
        return numbers.stream()
                .map(number -> number.isNaN() ? "null" : String.format(Locale.ROOT, "%.2f", number))
                .collect(Collectors.joining(", ", "[", "]"));
    }
}
