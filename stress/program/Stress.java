// SPDX-License-Identifier: Apache-2.0
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Runs the concurrency tests, which README.md beside this folder describes. Arguments: {@code short} or {@code long},
 * by default {@code long}; {@code --jdk} and its folder; then options of jcstress. The last line is "N passed, N
 * failed, N skipped", one for each test and set of options of the virtual machine.
 */
public final class Stress {
    /** The last such line counts: (Results: 10 planned; 9 passed, 1 failed, 0 soft errs, 0 hard errs). */
    private static final Pattern RESULTS = Pattern.compile(
            "^\\(Results: (\\d+) planned; (\\d+) passed, (\\d+) failed, (\\d+) soft errs, (\\d+) hard errs\\)",
            Pattern.MULTILINE);

    /** Each state may hold four descriptors. */
    private static final List<String> SHORT_STRIDES = List.of("-strideSize", "128", "-strideCount", "8");

    /** Options of our own keep jcstress from trying each test with the interpreter and each compiler. */
    private static final List<String> ONCE = List.of("-jvmArgs", "-Dshort=true", "-f", "1", "-fsm", "1", "-iters", "1",
            "-sc", "false", "-pth", "false", "-time");

    private Stress() {
    }

    public static void main(String[] arguments) throws IOException, InterruptedException {
        Deque<String> left = new ArrayDeque<>(List.of(arguments));
        Path home = Path.of(System.getProperty("java.home"));
        List<String> options = new ArrayList<>();
        while (!left.isEmpty()) {
            switch (left.getFirst()) {
                case "long" -> left.removeFirst();
                case "short" -> {
                    left.removeFirst();
                    options.addAll(ONCE);
                    options.add("250");
                }
                case "--jdk" -> {
                    left.removeFirst();
                    home = Path.of(left.removeFirst());
                }
                default -> {
                    options.addAll(left);
                    left.clear();
                }
            }
        }
        Command.Result result = jcstress(home, "", options).shown("");
        Matcher line = RESULTS.matcher(result.output());
        int[] counts = {1, 0, 1, 0, 0};
        while (line.find()) {
            for (int i = 0; i < counts.length; i++) {
                counts[i] = Integer.parseInt(line.group(i + 1));
            }
        }
        int failed = counts[2] + counts[3] + counts[4];
        System.out.println("\n" + counts[1] + " passed, " + failed + " failed, " + (counts[0] - counts[1] - failed)
                + " skipped");
        System.exit(result.status() == 0 && failed == 0 ? 0 : 1);
    }

    /** Runs one test for so many milliseconds, with classes that go before Pollux's own. */
    static Command once(Path first, String test, int millis) {
        List<String> options = new ArrayList<>(ONCE);
        options.addAll(List.of(Integer.toString(millis), "-t", "\\." + test + "$"));
        return jcstress(Path.of(System.getProperty("java.home")), first.toAbsolutePath() + ":", options);
    }

    private static Command jcstress(Path home, String first, List<String> options) {
        Command command = Command.of(home.resolve("bin/java"), "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED", "-cp",
                first + "classes:lib/*", "org.openjdk.jcstress.Main", "-r", "report", SHORT_STRIDES, options);
        command.builder.directory(Path.of("stress/target").toFile()); // it leaves its results where it runs
        return command;
    }
}
