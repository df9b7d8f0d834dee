// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.demo;

import dev.pollux.micro.apps.server.ServerProcess;
import dev.pollux.micro.apps.server.Side;
import dev.pollux.micro.harness.Child;
import dev.pollux.micro.harness.ProcessorTime;
import dev.pollux.micro.harness.Table;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/**
 * Runs unmodified NIO servers and clients with the JDK's selectors and with those of Pollux, and prints what differs.
 * Arguments: the jar of Pollux, and a folder for logs. Ends with 1 if a response or a selector was wrong.
 */
public final class Demo {
    private static final int CONNECTIONS = 100;
    private static final int REQUESTS = 10_000;
    private static final int LIMIT_MINUTES = 10;
    private static final long SILENCE_MILLIS = 3000;
    private static final List<Side> SIDES = List.of(Side.JDK, Side.POLLUX);

    private final Path jar;
    private final Path logs;
    private final Table table = new Table("server", "selectors of", "classes x live instances in the server",
            "in its client", "requests", "errors", "requests/s");
    private boolean right = true;

    private Demo(Path jar, Path logs) {
        this.jar = jar;
        this.logs = logs;
    }

    public static void main(String[] args) throws Exception {
        startWatchdog();
        Child.endAllOnExit();
        System.out.println("  JDK " + Runtime.version() + ", " + System.getProperty("os.name") + " "
                + System.getProperty("os.version") + " " + System.getProperty("os.arch") + ", "
                + Runtime.getRuntime().availableProcessors() + " processors");
        Demo demo = new Demo(Path.of(args[0]), Files.createDirectories(Path.of(args[1])));
        for (Side side : SIDES) {
            demo.tryOut("netty", side);
            demo.tryOut("httpserver", side);
        }
        System.out.println(demo.table);
        demo.examine();
        System.out.println(demo.right ? "Every response and every selector was right." : "The demo failed.");
        System.exit(demo.right ? 0 : 1);
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

    /** A server with a client, each in a virtual machine of its own, both on the selectors of one side. */
    private void tryOut(String name, Side side) throws IOException, InterruptedException {
        List<String> options = side.options(false, Side.PROVIDER, jar);
        String log = name + "-" + side.label();
        try (ServerProcess server = new ServerProcess(name, options, logs.resolve(log + "-server.log"));
                Child client = new Child(logs.resolve(log + "-client.log"), Child.java(options, Client.class,
                        Integer.toString(server.port()), Integer.toString(CONNECTIONS)))) {
            server.awaitStart();
            long[] errorsAndNanos = client.askNumbers("run " + REQUESTS);
            List<String> ofServer = server.selectors();
            List<String> ofClient = client.selectors();
            table.add(name + " " + server.version(), side.label(), String.join(", ", ofServer),
                    String.join(", ", ofClient), REQUESTS, errorsAndNanos[0],
                    Math.round(REQUESTS * 1e9 / errorsAndNanos[1]));
            check(errorsAndNanos[0] == 0, "bad responses from " + name + "; see the logs in " + logs);
            check(side.owns(ofServer) && side.owns(ofClient), name + " or its client has other selectors than those of "
                    + side.label());
        }
    }

    private void examine() throws IOException, InterruptedException {
        System.out.println("  a server whose handler leaves the interest in writing on: its client is silent");
        Table faults = new Table("selectors of", "bytes allocated by a selection",
                "processors that the faulty server takes", "warnings that name the fault");
        for (Side side : SIDES) {
            try (Child specimen = new Child(logs.resolve("specimen-" + side.label() + ".log"),
                    Child.java(side.options(false, Side.PROVIDER, jar), Specimen.class))) {
                long garbage = specimen.askNumbers("garbage")[0];
                double processors = processorsInSilence(specimen);
                List<String> said = specimen.standardError().lines()
                        .filter(line -> !line.contains("at java.base")).toList(); // of the stack our calls are enough
                long warnings = said.stream().filter(line -> line.contains("OP_WRITE")).count();
                faults.add(side.label(), garbage, String.format(Locale.ROOT, "%.2f", processors), warnings);
                said.forEach(line -> System.out.println("    " + side.label() + ": " + line));
                check(side == Side.JDK || warnings == 1, "the fault was not named once");
            }
        }
        System.out.println(faults);
    }

    /** How many processors the faulty server keeps busy while its only client is silent. */
    private static double processorsInSilence(Child specimen) throws IOException, InterruptedException {
        int port = (int) specimen.askNumbers("serve")[0];
        try (Socket client = new Socket(InetAddress.getLoopbackAddress(), port)) {
            client.getOutputStream().write('?');
            client.getInputStream().read();
            ProcessorTime before = ProcessorTime.of(specimen.pid());
            long start = System.nanoTime();
            Thread.sleep(SILENCE_MILLIS);
            return (double) ProcessorTime.of(specimen.pid()).since(before) / (System.nanoTime() - start);
        }
    }

    private void check(boolean isRight, String otherwise) {
        if (!isRight) {
            System.out.println("WRONG: " + otherwise);
            right = false;
        }
    }
}
