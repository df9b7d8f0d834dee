// SPDX-License-Identifier: Apache-2.0
package dev.pollux.demo;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Drives unmodified NIO servers with the JDK's selectors and with those of Pollux, in turns, and prints the comparison.
 * Arguments: the class path of the children and a folder for their logs. Ends with 1 if a response or a selector was wrong.
 */
public final class Demo {
    private static final String POLLUX = "dev.pollux.PolluxSelectorProvider";
    private static final int WARM_UP = 5_000;
    private static final int ROUNDS = 5;
    private static final int PER_ROUND = 5_000;
    private static final int UNDER_STRACE = 4_000;
    private static final int LIMIT_MINUTES = 10;

    private final String classPath;
    private final Path logs;
    private final List<Row> rows = new ArrayList<>();

    private Demo(String classPath, Path logs) {
        this.classPath = classPath;
        this.logs = logs;
    }

    public static void main(String[] args) throws Exception {
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
        Runtime.getRuntime().addShutdownHook(
                new Thread(() -> ProcessHandle.current().children().forEach(ProcessHandle::destroy)));
        say("JDK " + Runtime.version() + ", " + System.getProperty("os.name") + " " + System.getProperty("os.version") + " "
                + System.getProperty("os.arch") + ", " + Runtime.getRuntime().availableProcessors() + " processors");
        Demo demo = new Demo(args[0], Files.createDirectories(Path.of(args[1])));
        demo.compare("Netty", "io.netty.example.http.helloworld.HttpHelloWorldServer");
        demo.compare("jdk.httpserver", JdkHttpServer.class.getName());
        System.exit(demo.verdict() ? 0 : 1);
    }

    private void compare(String application, String mainClass) throws IOException, InterruptedException {
        say(application + ": starting servers and clients");
        try (Contender jdk = new Contender(application, mainClass, null, classPath, logs);
                Contender pollux = new Contender(application, mainClass, POLLUX, classPath, logs)) {
            List<Contender> both = List.of(jdk, pollux);
            for (Contender one : both) {
                one.awaitServer();
            }
            say(application + ": warming up, " + WARM_UP + " requests each");
            for (Contender one : both) {
                one.warmUp(WARM_UP);
            }
            // In turns, so that whatever else the machine does meets both alike.
            for (int round = 1; round <= ROUNDS; round++) {
                for (Contender one : both) {
                    one.run(PER_ROUND);
                }
                say(application + ": " + round * PER_ROUND + " of " + ROUNDS * PER_ROUND + " requests each");
            }
            say(application + ": counting system calls");
            for (Contender one : both) {
                rows.add(one.finish(UNDER_STRACE));
            }
        }
    }

    private boolean verdict() {
        System.out.println();
        System.out.println(Row.head());
        rows.forEach(System.out::println);
        System.out.println();
        rows.forEach(row -> System.out.println("client of " + row.application() + ": " + String.join(", ", row.clientSelectors())));
        boolean right = true;
        for (Row row : rows) {
            if (row.noCalls() != null) {
                System.out.println("system calls of " + row.application() + " not counted: " + row.noCalls());
            }
            if (row.errors() != 0) {
                System.out.println("WRONG: " + row.errors() + " bad responses from " + row.application() + ", logs in " + logs);
                right = false;
            }
            if (!row.rightSelectors()) {
                System.out.println("WRONG: " + row.application() + " runs on " + row.serverSelectors() + ", its client on "
                        + row.clientSelectors() + ", not on " + (row.provider() == null ? "the JDK's" : row.provider()));
                right = false;
            }
        }
        System.out.println(right ? "Every response and every selector was right." : "The demo failed.");
        return right;
    }

    private static void say(String what) {
        System.out.println("  " + what);
    }
}
