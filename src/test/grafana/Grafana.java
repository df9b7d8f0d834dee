// SPDX-License-Identifier: Apache-2.0
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/**
 * Checks docs/grafana.json against the types that Grafana publishes: no field may be unknown, missing or of another
 * type. Then it breaks the dashboard, and expects that this is found. Needs npm, which gets the types and a compiler.
 */
public final class Grafana {
    private static final Path OUT = Path.of("target/grafana");
    private static final Map<String, String> BREAKS = Map.of("\"timeseries\"", "\"timeserie\"",
            "\"displayMode\": \"list\"", "\"displayMode\": \"lists\"", "\"expr\"", "\"expression\"", "\"gridPos\"",
            "\"grid\"", "\"showPoints\": \"never\"", "\"showPoints\": 0", "\"templating\"", "\"template\"",
            "\"colorMode\"", "\"colourMode\"");

    private final String types;

    private Grafana(String types) {
        this.types = types;
    }

    public static void main(String[] arguments) throws IOException, InterruptedException {
        Files.createDirectories(OUT);
        Command.of("npm", "install", "--silent", "--no-fund", "--no-audit", "--prefix", OUT, "@grafana/schema@13.2.3",
                "typescript@5.9.3").output();
        Grafana grafana = new Grafana(Files.readString(Path.of("src/test/grafana/dashboard.ts")));
        String dashboard = Files.readString(Path.of("docs/grafana.json"));
        Checks checks = new Checks();
        checks.check("docs/grafana.json has the types of Grafana's schema", () ->
                grafana.compile("dashboard", dashboard).output());
        BREAKS.forEach((right, wrong) -> checks.check("it may not have " + wrong, () ->
                grafana.compile("broken", dashboard.replace(right, wrong)).refuses("error TS")));
        checks.finish();
    }

    private Command compile(String name, String dashboard) throws IOException {
        Path file = Files.writeString(OUT.resolve(name + ".ts"), types + dashboard);
        return Command.of(OUT.resolve("node_modules/.bin/tsc"), "--noEmit", "--strict", "--skipLibCheck", "--module",
                "nodenext", "--target", "es2022", file);
    }
}
