// SPDX-License-Identifier: Apache-2.0
package dev.pollux;

import static java.util.concurrent.TimeUnit.MILLISECONDS;

import dev.pollux.internal.batch.Streams;
import dev.pollux.internal.jdk.PolluxProperties;
import dev.pollux.internal.jdk.SocketCalls;
import dev.pollux.internal.jdk.VirtualThreads;
import dev.pollux.internal.jni.ArenaNatives;
import dev.pollux.internal.jni.Natives;
import dev.pollux.internal.jni.Platform;
import dev.pollux.internal.selector.SelectorFactory;
import dev.pollux.internal.startup.Startup;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * Tells what Pollux finds on this machine, for a bug report: {@code java -jar pollux.jar}. The exit code is 0 if
 * Pollux works here and 1 if it does not. {@code --help} names the tools, which are a jar of their own, and {@code
 * --version} says which version this is. The exit code is 2 if the command line is wrong.
 */
public final class Diagnosis {
    private static final int WRONG_COMMAND_LINE = 2;
    private static final String HELP = """
            usage: java -jar pollux.jar [--version | -h | --help]

            Prints what Pollux finds on this machine, for a bug report; exit code 0 if it works here, else 1.
            What looks at, checks and compares selectors is in pollux-tools.jar (dev.pollux:pollux-tools):
            java -jar pollux-tools.jar --help
            """;
    private static final String URING = "io_uring";
    private static final int MAX_WAIT_MILLIS = 2_000;

    private Diagnosis() {
    }

    /**
     * Prints the diagnosis, or what the argument asks for.
     *
     * @param arguments none, or one of those that {@code --help} names
     */
    public static void main(String[] arguments) {
        int code = arguments.length > 0 ? answer(arguments[0]) : print() ? 0 : 1;
        if (code != 0) {
            System.exit(code);
        }
    }

    private static int answer(String argument) {
        switch (argument) {
            case "--help", "-h", "help" -> System.out.print(HELP);
            case "--version" -> System.out.println("Pollux " + Startup.version());
            default -> {
                System.err.println("unknown argument " + argument + ": this jar tells whether Pollux works here."
                        + " Commands are in pollux-tools.jar: java -jar pollux-tools.jar --help");
                return WRONG_COMMAND_LINE;
            }
        }
        return 0;
    }

    private static boolean print() {
        Startup startup = Startup.outcome();
        Platform here = startup.platform() == null ? Platform.current() : startup.platform();
        line("Pollux", Startup.version());
        line("platform", here.folder() + ", " + System.getProperty("os.name") + ' ' + System.getProperty("os.version"));
        line("C library", here.libc());
        line("JDK", Runtime.version() + " (" + System.getProperty("java.vendor") + "), "
                + System.getProperty("java.home"));
        line("library", startup.library() == null ? "not loaded" : startup.library());
        line("access", startup.access() == null ? "not gained" : startup.access());
        limit("open files", "");
        limit("locked memory", " bytes"); // an io_uring needs some (RLIMIT_MEMLOCK)
        if (startup.failure() != null) {
            System.out.print("failure:         ");
            startup.failure().printStackTrace(System.out);
            return false;
        }
        line("mechanisms", String.join(", ", startup.mechanisms()) + " (best first)");
        line("virtual threads", (VirtualThreads.canPark() ? "parked" : "not parked") + " in select, "
                + (VirtualThreads.canCompensate() ? "blocked carriers are replaced" : "carriers are not replaced"));
        line("socket calls", SocketCalls.outcome());
        line("batch", Streams.outcome());
        PolluxProperties.unknown().forEach(each -> line("property", each));
        keySet();
        boolean works = true;
        for (String mechanism : startup.mechanisms()) {
            works &= tryOut(mechanism);
        }
        uring();
        line("tools", "java -jar pollux-tools.jar --help (dev.pollux:pollux-tools)");
        return works;
    }

    private static void line(String name, String value) {
        System.out.printf("%-16s %s%n", name + ':', value);
    }

    private static void limit(String name, String unit) {
        try (Stream<String> limits = Files.lines(Path.of("/proc/self/limits"))) {
            limits.filter(line -> line.startsWith("Max " + name)).map(line -> line.split(" {2,}"))
                    .forEach(columns -> line(name, columns[1] + unit + " (hard limit " + columns[2] + ')'));
        } catch (IOException notLinux) {
            line(name, "limit not known on this system");
        }
    }

    /** Whether a StreamServer gets io_uring; costs no exit code, since it runs on the selectors' mechanisms too. */
    private static void uring() {
        if (!List.of(ArenaNatives.mechanisms().split(",")).contains(URING)) {
            line(URING, "not on this platform");
            return;
        }
        long arena = ArenaNatives.open(null, 0, 0, 0, 0, 0, 0);
        if (arena < 0) {
            line(URING, "not known: " + ArenaNatives.strerror(null, (int) -arena));
            return;
        }
        String outcome = ArenaNatives.name(arena).equals(URING) ? "permitted" : "not used";
        line(URING, outcome + ", kernel " + System.getProperty("os.version") + "; a StreamServer runs on "
                + ArenaNatives.features(arena));
        ArenaNatives.free(ArenaNatives.close(arena));
    }

    /** Which set of selected keys a selector has; costs no exit code, since with the JDK's own only speed is lost. */
    private static void keySet() {
        try (Selector selector = new PolluxSelectorProvider().openSelector()) {
            line("key set", SelectorFactory.usesOwnKeySet(selector) ? "our own, put in by JNI"
                    : "the JDK's, which refuses to let JNI set final fields; only speed is lost: iterating allocates");
        } catch (IOException e) {
            line("key set", "not known: " + e.getMessage()); // said again below, where it counts
        }
    }

    /** What the mechanism promises, and whether a selector on it really sees data and a wakeup. */
    private static boolean tryOut(String mechanism) {
        try {
            select(new PolluxSelectorProvider(mechanism));
            line(mechanism, "features: " + features(mechanism) + "; a selector opens, selects and wakes up");
            return true;
        } catch (IOException | RuntimeException | Error e) {
            System.out.printf("%-16s does not work: ", mechanism + ':');
            e.printStackTrace(System.out);
            return false;
        }
    }

    private static String features(String mechanism) throws IOException {
        long set = Natives.open(mechanism);
        if (set <= 0) {
            throw new IOException("could not open " + mechanism + ": " + Natives.strerror((int) -set));
        }
        try {
            return Natives.features(set);
        } finally {
            Natives.close(set);
        }
    }

    private static void select(PolluxSelectorProvider provider) throws IOException {
        Pipe pipe = provider.openPipe();
        try (Selector selector = provider.openSelector(); Pipe.SourceChannel source = pipe.source();
                Pipe.SinkChannel sink = pipe.sink()) {
            source.configureBlocking(false).register(selector, SelectionKey.OP_READ);
            expect(selector.selectNow() == 0, "nothing is ready in an empty pipe");
            sink.write(ByteBuffer.allocate(1));
            expect(selector.select(MAX_WAIT_MILLIS) == 1, "what was written is reported");
            source.read(ByteBuffer.allocate(1));
            selector.selectedKeys().clear();
            new Thread(selector::wakeup).start();
            long start = System.nanoTime();
            expect(selector.select(MAX_WAIT_MILLIS) == 0, "a wakeup is no event");
            expect(System.nanoTime() - start < MILLISECONDS.toNanos(MAX_WAIT_MILLIS), "a wakeup ends a selection");
        }
    }

    private static void expect(boolean isKept, String promise) throws IOException {
        if (!isKept) {
            throw new IOException("broken: " + promise);
        }
    }
}
