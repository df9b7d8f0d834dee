// SPDX-License-Identifier: Apache-2.0
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Shows that each test fails when what it is for is broken: changes a line in a copy of one class, compiles that, and
 * runs the test with it. {@code mutants.txt} has all mutants; names as arguments choose some. A mutant that its test
 * does not find has failed.
 */
public final class Mutants {
    private static final Path STRESS = Path.of("stress");
    private static final Path SOURCES = Path.of("src/main/java");
    private static final int MILLIS = 2000;

    private final String name;
    private final String test;
    private final Path source;
    private final StringBuilder expression = new StringBuilder();

    /** @param line the mutant's name, the test that must find it, and the class that is changed */
    private Mutants(String line) {
        String[] words = line.split(" +");
        name = words[0];
        test = words[1];
        source = SOURCES.resolve(words[2] + ".java");
    }

    public static void main(String[] chosen) throws IOException {
        List<Mutants> all = new ArrayList<>();
        for (String line : Files.readAllLines(STRESS.resolve("mutants.txt"))) {
            if (line.strip().startsWith("s/")) {
                all.get(all.size() - 1).expression.append(line.strip()).append(' ');
            } else if (!line.isBlank() && !line.startsWith("#")) {
                all.add(new Mutants(line));
            }
        }
        Checks checks = new Checks();
        for (Mutants mutant : all) {
            if (chosen.length == 0 || List.of(chosen).contains(mutant.name)) {
                checks.check(mutant.name + ": " + mutant.test + " fails", mutant::run);
            }
        }
        checks.finish();
    }

    private void run() throws IOException, InterruptedException {
        Path folder = STRESS.resolve("target/mutants").resolve(name);
        Path classes = Files.createDirectories(folder.resolve("classes"));
        Path changed = folder.resolve(source.getFileName());
        Files.writeString(changed, Command.of("perl", "-0777", "-pe", expression, source).output());
        Checks.expect(Files.mismatch(changed, source) >= 0, "the expression changes nothing");
        Command.of(System.getProperty("java.home") + "/bin/javac", "-nowarn", "-XDignore.symbol.file", "--add-exports",
                "java.base/sun.nio.ch=ALL-UNNAMED", "-proc:none", "-cp", STRESS + "/target/lib/*", "-d", classes,
                changed).output();
        String output = Stress.once(classes, test, MILLIS).result().output();
        Files.writeString(folder.resolve("output"), output);
        // Found is what jcstress counts as failed, by a forbidden result. That it broke in another way is not enough.
        Checks.expect(output.lines().anyMatch(line -> line.matches("\\(Results: .*[1-9]\\d* failed.*")),
                "it does NOT fail; see " + folder.resolve("output"));
    }
}
