// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.apps;

import dev.pollux.micro.apps.server.Side;
import dev.pollux.micro.harness.Numbers;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.StringJoiner;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Writes every figure of every round, so that tables and plots can be made without measuring again. */
final class Json {
    private Json() {
    }

    static void write(Path file, Plan plan, List<Row> rows) throws IOException {
        String head = String.format(Locale.ROOT,
                "{\"java\": \"%s\", \"os\": \"%s %s\", \"processors\": %d, \"provider\": \"%s\",%n"
                        + " \"pairs\": %d, \"rounds\": %d, \"requests\": %d, \"rate\": %d, \"connections\": %d,"
                        + " \"servers\": [%n",
                Runtime.version(), System.getProperty("os.name"), System.getProperty("os.version"),
                Runtime.getRuntime().availableProcessors(), plan.provider(),
                plan.pairs(), plan.rounds(), plan.requests(), plan.rate(), plan.connections());
        Files.createDirectories(file.toAbsolutePath().getParent());
        String servers = rows.stream().map(Json::server).collect(Collectors.joining(",\n"));
        Files.writeString(file, head + servers + "\n]}\n");
    }

    private static String server(Row row) {
        return String.format(
                "{\"server\": \"%s\", \"version\": \"%s\",%n \"figures\": {%n%s},%n \"calls\": {%s},%n"
                        + " \"paced_calls\": {%s},%n \"selectors\": {%s}}",
                row.subject.label, row.version,
                Stream.of(Figure.values()).map(figure -> figure(row, figure)).collect(Collectors.joining(",\n")),
                sides(side -> calls(row, side, Figure.CALLS)),
                sides(side -> calls(row, side, Figure.PACED_CALLS)),
                sides(side -> row.selectors.getOrDefault(side, List.of()).stream()
                        .collect(Collectors.joining("\", \"", "[\"", "\"]"))));
    }

    private static String figure(Row row, Figure figure) {
        List<Double> ratios = row.ratios(figure);
        return String.format("  \"%s\": {%s,%n   \"ratio\": {\"median\": %s, \"min\": %s, \"max\": %s}}", figure.key,
                sides(side -> row.values(side, figure).stream().map(Json::number)
                        .collect(Collectors.joining(", ", "[", "]"))),
                number(Numbers.median(ratios)), number(Numbers.min(ratios)), number(Numbers.max(ratios)));
    }

    private static String calls(Row row, Side side, Figure load) {
        StringJoiner object = new StringJoiner(", ", "{", "}");
        for (String name : row.callNames(load)) {
            object.add("\"" + name + "\": " + number(row.calls(side, load, name)));
        }
        return object.toString();
    }

    private static String sides(Function<Side, String> value) {
        return Stream.of(Side.values()).map(side -> "\"" + side.word() + "\": " + value.apply(side))
                .collect(Collectors.joining(", "));
    }

    private static String number(double value) {
        return Double.isNaN(value) ? "null" : String.format(Locale.ROOT, "%.4f", value);
    }
}
