// SPDX-License-Identifier: Apache-2.0
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Runs the tests below {@code jtreg-tests/selector} on the jar in target. Arguments: the folder of a JDK, by default
 * the one that runs this; then tests, as {@code selector/Name.java} or {@code selector/Name.java#id}, by default all.
 * What is left goes to target/jtreg. The last line is "N passed, N failed, N skipped".
 */
public final class Jtreg {
    private static final Pattern RESULT = Pattern.compile("^\\S+ +(Passed|Failed|Error)\\.", Pattern.MULTILINE);
    private static final Pattern NOT_FOR_THIS_PLATFORM =
            Pattern.compile("did not meet platform requirements: (\\d+)");

    /** What a test printed that went wrong. */
    private static final Pattern SAID =
            Pattern.compile("^-{10}(?:System\\.err|direct):\\([1-9].*\\n((?:(?!-{10}).*\\n)*)", Pattern.MULTILINE);

    private Jtreg() {
    }

    public static void main(String[] arguments) throws IOException, InterruptedException {
        Path jdk = Path.of(arguments.length > 0 ? arguments[0] : System.getProperty("java.home"));
        List<String> tests = arguments.length > 1 ? List.of(arguments).subList(1, arguments.length)
                : List.of("selector");
        String release = OpenJdk.release(jdk);
        Path out = Path.of("target/jtreg/jdk-" + release).toAbsolutePath();
        Command.of("rm", "-rf", out).output();
        Files.createDirectories(out);
        System.exit(report(out, run(jdk, out, tests)) ? 0 : 1);
    }

    /** Most of the time goes to javac and to starting, where the second compiler takes more than it gives. */
    private static Command.Result run(Path jdk, Path out, List<String> tests) throws IOException, InterruptedException {
        List<Object> words = new ArrayList<>(OpenJdk.jtreg(jdk));
        words.addAll(List.of("-vmoption:-XX:TieredStopAtLevel=1", "-javacoption:-Xlint:all", "-javacoption:-Werror",
                "-cpa:" + Build.jar("."), "-workDir:" + out.resolve("work"), "-reportDir:" + out.resolve("report"),
                "-dir:jtreg-tests"));
        words.addAll(tests);
        return Command.of(words).result();
    }

    /** Prints what did not pass, and the sums; true if all passed. Only what this platform lacks is skipped. */
    private static boolean report(Path out, Command.Result run) throws IOException {
        Path summary = out.resolve("report/text/summary.txt");
        String text = Files.exists(summary) ? Files.readString(summary) : "";
        List<String> results = RESULT.matcher(text).results().map(result -> result.group(1)).toList();
        long passed = results.stream().filter("Passed"::equals).count();
        long failed = results.size() - passed;
        run.output().lines().filter(line -> line.matches("(Passed|FAILED|Error):.*")).forEach(System.out::println);
        if (failed > 0) {
            explain(out);
        } else if (run.status() != 0 || passed == 0) {
            System.out.println(run.output());
        }
        Matcher skipped = NOT_FOR_THIS_PLATFORM.matcher(run.output());
        System.out.println(passed + " passed, " + failed + " failed, " + (skipped.find() ? skipped.group(1) : "0")
                + " skipped");
        return run.status() == 0 && passed > 0;
    }

    /** The rest of what such a test said stands in the same file. */
    private static void explain(Path out) throws IOException {
        try (Stream<Path> files = Files.walk(out.resolve("work"))) {
            for (Path file : files.filter(path -> path.toString().endsWith(".jtr")).sorted().toList()) {
                String text = Files.readString(file);
                if (text.contains("\ntest result:") && !text.contains("\ntest result: Passed")) {
                    System.out.println("\n---- " + file);
                    SAID.matcher(text).results().flatMap(said -> said.group(1).lines()).limit(60)
                            .forEach(System.out::println);
                    text.lines().filter(line -> line.startsWith("test result:")).forEach(System.out::println);
                }
            }
        }
    }
}
