// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.demo;

import dev.pollux.micro.apps.server.Side;
import dev.pollux.micro.harness.JavaProcess;
import dev.pollux.micro.harness.Table;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/**
 * Runs unmodified NIO servers with the JDK's selectors and with those of Pollux, in turns, and prints the comparison.
 * Arguments: the jar of Pollux, and a folder for logs. Ends with 1 if a response or a selector was wrong.
 */
public final class Demo {
    private static final int WARM_UP = 5_000;
    private static final int ROUNDS = 4;
    private static final int PER_ROUND = 5_000;
    private static final int UNDER_STRACE = 4_000;
    private static final int LIMIT_MINUTES = 10;

    private final Path jar;
    private final Path logs;
    private final List<Row> rows = new ArrayList<>();
    private final List<Examination> examinations = new ArrayList<>();

    private Demo(Path jar, Path logs) {
        this.jar = jar;
        this.logs = logs;
    }

    public static void main(String[] args) throws Exception {
        startWatchdog();
        JavaProcess.endAllOnExit();
        say("JDK " + Runtime.version() + ", " + System.getProperty("os.name") + " " + System.getProperty("os.version")
                + " " + System.getProperty("os.arch") + ", " + Runtime.getRuntime().availableProcessors()
                + " processors");
        Demo demo = new Demo(Path.of(args[0]), Files.createDirectories(Path.of(args[1])));
        demo.compare("Netty", "netty");
        demo.compare("jdk.httpserver", "httpserver");
        demo.examine();
        System.exit(demo.print() ? 0 : 1);
    }

    private static void startWatchdog() {
        Thread watchdog = new Thread(() -> {
            try {
                TimeUnit.MINUTES.sleep(LIMIT_MINUTES);
                System.err.println("demo: not done after " + LIMIT_MINUTES + " minutes");
                ProcessHandle.current().children().forEach(ProcessHandle::destroyForcibly);
                Runtime.getRuntime().halt(1);
            } catch (InterruptedException never) {
                Thread.currentThread().interrupt();
            }
        });
        watchdog.setDaemon(true);
        watchdog.start();
    }

    private void compare(String application, String name) throws IOException, InterruptedException {
        say(application + ": starting servers and clients");
        try (Trial jdk = new Trial(application, name, Side.JDK, jar, logs);
                Trial pollux = new Trial(application, name, Side.POLLUX, jar, logs)) {
            List<Trial> both = new ArrayList<>(List.of(jdk, pollux));
            for (Trial one : both) {
                one.awaitStart();
            }
            say(application + ": warming up, " + WARM_UP + " requests each");
            for (Trial one : both) {
                one.warmUp(WARM_UP);
            }
            // In turns, and each first as often, so that whatever else the machine does affects both alike.
            for (int round = 1; round <= ROUNDS; round++) {
                for (Trial one : both) {
                    one.run(PER_ROUND);
                }
                Collections.reverse(both);
                say(application + ": " + round * PER_ROUND + " of " + ROUNDS * PER_ROUND + " requests each");
            }
            say(application + ": counting system calls");
            for (Trial one : List.of(jdk, pollux)) {
                rows.add(one.finish(UNDER_STRACE));
            }
        }
    }

    private void examine() throws IOException, InterruptedException {
        say("a server whose handler leaves the interest in writing on: its client is silent for some seconds");
        for (Side side : Side.values()) {
            examinations.add(Examination.of(side, jar, logs));
        }
    }

    /** Prints the tables; false if something was wrong. */
    private boolean print() {
        System.out.println();
        System.out.println("What a selection allocates, and what is said of a fault:");
        Table table = new Table("selectors of", "bytes allocated by a selection",
                "processors that the faulty server takes", "lines it logs about that");
        for (Examination one : examinations) {
            table.add(one.side().label(), one.garbage(), String.format(Locale.ROOT, "%.2f", one.processors()),
                    one.said().size());
        }
        System.out.println(table);
        for (Examination one : examinations) {
            System.out.println(one.side().label() + " says about the faulty server: "
                    + (one.said().isEmpty() ? "nothing" : String.join(System.lineSeparator() + "    ", one.said())));
        }
        System.out.println();
        System.out.println("What else was seen of unmodified servers:");
        System.out.println(Row.head());
        rows.forEach(System.out::println);
        System.out.println();
        rows.forEach(row -> System.out.println(
                "client of " + row.application() + ": " + String.join(", ", row.clientSelectors())));
        boolean right = rows.stream().map(this::check).reduce(true, Boolean::logicalAnd);
        right &= examinations.stream().allMatch(Demo::check);
        System.out.println(right ? "Every response and every selector was right." : "The demo failed.");
        return right;
    }

    private boolean check(Row row) {
        if (row.notCounted() != null) {
            System.out.println("system calls of " + row.application() + " not counted: " + row.notCounted());
        }
        if (row.errors() != 0) {
            System.out.println("WRONG: " + row.errors() + " bad responses from " + row.application()
                    + "; see the logs in " + logs);
        }
        if (!row.hasRightSelectors()) {
            System.out.println("WRONG: " + row.application() + " runs on " + row.serverSelectors() + ", its client on "
                    + row.clientSelectors() + "; both were to run on those of " + row.side());
        }
        return row.errors() == 0 && row.hasRightSelectors();
    }

    private static boolean check(Examination examination) {
        boolean right = examination.side() == Side.JDK || examination.said().stream()
                .anyMatch(line -> line.contains("OP_WRITE"));
        if (!right) {
            System.out.println("WRONG: the fault was not named");
        }
        return right;
    }

    private static void say(String what) {
        System.out.println("  " + what);
    }
}
