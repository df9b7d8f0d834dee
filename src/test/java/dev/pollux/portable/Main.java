// SPDX-License-Identifier: Apache-2.0
package dev.pollux.portable;

import dev.pollux.lab.Home;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Tests Pollux on the system where it is started, from what {@code src/test/portable/pack.sh} has packed: the jar's
 * diagnosis and check, then the suites of the selector, the Poller and StreamServer, once for each mechanism of this
 * system. Tests with the tag "load" are left out, and those of the examples in the sources and docs. What needs Linux
 * or another program is skipped; the logs say why.
 *
 * <p>Arguments: options of the virtual machines. They have no paths of ours, since Windows writes them in another way.
 * Logs are left in {@code logs}, beside {@code lib}. The last line is "N passed, N failed, N skipped".
 */
public final class Main {
    private static final Path FOLDER = Home.of(Main.class).getParent().getParent(); // of lib/tests.jar
    private static final Pattern MECHANISMS =
            Pattern.compile("^mechanisms: *(.*) \\(best first\\)$", Pattern.MULTILINE);
    private static final Pattern CHECKED =
            Pattern.compile("^(\\d+) ok, (\\d+) failed, (\\d+) skipped$", Pattern.MULTILINE);
    private static final Map<String, String> PROVIDERS = Map.of("epoll", "EPoll", "kqueue", "KQueue", "/dev/poll",
            "DevPoll", "wepoll", "WEPoll", "poll", "Poll");

    private final List<String> options;
    private long passed;
    private long failed;
    private long skipped;

    private Main(List<String> options) {
        this.options = options;
    }

    public static void main(String[] arguments) throws IOException, InterruptedException {
        Files.createDirectories(FOLDER.resolve("logs"));
        Main main = new Main(List.of(arguments));
        main.run();
        System.out.printf("%n%d passed, %d failed, %d skipped%n", main.passed, main.failed, main.skipped);
        System.exit(main.failed == 0 ? 0 : 1);
    }

    private void run() throws IOException, InterruptedException {
        String diagnosis = java("diagnosis", "-cp", "lib/pollux.jar", "dev.pollux.Diagnosis");
        System.out.print(diagnosis);
        Matcher found = MECHANISMS.matcher(diagnosis);
        boolean works = found.find();
        count(works ? 1 : 0, works ? 0 : 1, 0);
        String check = java("check", "-jar", "pollux-tools.jar", "check");
        System.out.print(check);
        Matcher checked = CHECKED.matcher(check);
        if (checked.find()) {
            count(Long.parseLong(checked.group(1)), Long.parseLong(checked.group(2)), Long.parseLong(checked.group(3)));
        } else {
            count(0, 1, 0);
        }
        if (works) {
            String mechanisms = found.group(1).replace(" ", "");
            suite("waiting", mechanisms, "waiting");
            suite("selector", mechanisms, "selector", "provider");
            suite("poller", mechanisms, "poller");
            suite("server", mechanisms, "server");
        }
    }

    /** Those tests in one virtual machine. One that does not get to its end has failed. */
    private void suite(String name, String mechanisms, String... packages) throws IOException, InterruptedException {
        List<String> words = new ArrayList<>(List.of("--add-exports", "java.base/sun.nio.ch=ALL-UNNAMED", "-cp",
                "lib" + File.separator + "*", "-Dpollux.test.mechanisms=" + mechanisms, "-Dpollux.test.providers="
                + Stream.of(mechanisms.split(",")).map(each -> "dev.pollux." + PROVIDERS.get(each) + "SelectorProvider")
                        .collect(Collectors.joining(",")),
                "org.junit.platform.console.ConsoleLauncher", "execute", "--disable-banner", "--disable-ansi-colors",
                "--details=tree", "--details-theme=ascii", "--scan-classpath", "lib/tests.jar", "--include-classname",
                ".*Test", "--exclude-classname", ".*ExampleTest", "--exclude-tag", "load"));
        for (String each : packages) {
            words.addAll(List.of("--include-package", "dev.pollux." + each));
        }
        String output = java(name, words.toArray(String[]::new));
        output.lines().filter(line -> line.contains("[X]")).forEach(System.out::println);
        count(sum(output, "tests successful"),
                output.contains(" tests failed ") ? sum(output, "tests failed") + sum(output, "containers failed") : 1,
                sum(output, "tests skipped") + sum(output, "tests aborted"));
    }

    private static long sum(String output, String what) {
        Matcher line = Pattern.compile("^\\[ *(\\d+) " + what + " *\\]$", Pattern.MULTILINE).matcher(output);
        return line.find() ? Long.parseLong(line.group(1)) : 0;
    }

    private void count(long morePassed, long moreFailed, long moreSkipped) {
        passed += morePassed;
        failed += moreFailed;
        skipped += moreSkipped;
        System.out.println("   " + morePassed + " passed, " + moreFailed + " failed, " + moreSkipped + " skipped");
    }

    /** Runs the java that runs this, and returns what it prints, with the lines of Unix. */
    private String java(String name, String... words) throws IOException, InterruptedException {
        System.out.println("== " + name);
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED"));
        command.addAll(options);
        command.addAll(List.of(words));
        Path log = FOLDER.resolve("logs").resolve(name + ".txt");
        new ProcessBuilder(command).directory(FOLDER.toFile()).redirectErrorStream(true).redirectOutput(log.toFile())
                .start().waitFor();
        // Never fails; what is looked for is ASCII.
        return Files.readString(log, StandardCharsets.ISO_8859_1).replace("\r", "");
    }
}
