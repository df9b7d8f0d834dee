// SPDX-License-Identifier: Apache-2.0
package dev.pollux;

import static java.util.stream.Collectors.joining;

import dev.pollux.internal.arena.Arena;
import dev.pollux.internal.batch.Streams;
import dev.pollux.internal.check.Check;
import dev.pollux.internal.compare.Compare;
import dev.pollux.internal.jdk.PolluxProperties;
import dev.pollux.internal.jdk.SocketCalls;
import dev.pollux.internal.jdk.VirtualThreads;
import dev.pollux.internal.jni.Natives;
import dev.pollux.internal.jni.Platform;
import dev.pollux.internal.selector.SelectorFactory;
import dev.pollux.internal.startup.Startup;
import dev.pollux.internal.tool.Bench;
import dev.pollux.internal.tool.Command;
import dev.pollux.internal.tool.Extract;
import dev.pollux.internal.top.Top;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.spi.SelectorProvider;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * Tells what Pollux finds on this machine, for a bug report: {@code java -jar pollux.jar}. The exit code is 0 if
 * Pollux works here and 1 if it does not. With an argument it does something else. {@code check} tries out what
 * selectors promise. {@code compare} measures the JDK's selector beside ours. {@code top} shows what the selectors of
 * another virtual machine do. {@code extract} writes the native library to a folder. {@code --help} behind such an
 * argument tells how, {@code --help} alone which there are, and {@code --version} which version this is. All of these
 * exit with 2 if the command line is wrong.
 */
public final class Diagnosis {

    private static final List<Command> COMMANDS = List.of(Check.command(Diagnosis::provider),
            Compare.COMMAND, Extract.COMMAND, Top.COMMAND);
    /** One for each class of them. */
    private static final List<PolluxSelectorProvider> PROVIDERS = List.of(new EPollSelectorProvider(),
            new KQueueSelectorProvider(), new DevPollSelectorProvider(), new WEPollSelectorProvider(),
            new PollSelectorProvider());
    private static final String HELP = """
            usage: java -jar pollux.jar [COMMAND | --version | -h | --help]

            Prints what Pollux finds on this machine, for a bug report; exit code 0 if it works here, else 1.
            With a command it does something else:

            %s
            COMMAND --help, or help COMMAND, tells more. Exit code 2 if the command line is wrong.
            """;
    private static final String HELP_OPTION = "--help";
    private static final List<String> HELP_OPTIONS = List.of(HELP_OPTION, "-h", "help");
    private static final String URING = "io_uring";

    private Diagnosis() {
    }

    /**
     * Prints the diagnosis, or does what the arguments ask for.
     *
     * @param arguments none; or the name of a command and its own
     */
    public static void main(String[] arguments) {
        if (arguments.length > 0) {
            System.exit(run(List.of(arguments)));
        }
        if (!print()) {
            System.exit(Command.FAILED);
        }
    }

    private static int run(List<String> arguments) {
        String name = arguments.get(0);
        List<String> rest = arguments.subList(1, arguments.size());
        if (name.equals("help") && !rest.isEmpty()) {
            return run(rest.get(0), List.of(HELP_OPTION));
        }
        if (HELP_OPTIONS.contains(name)) {
            System.out.printf(HELP, COMMANDS.stream()
                    .map(each -> String.format("  %-9s %s\n", each.name(), each.summary())).collect(joining()));
            return 0;
        }
        if (name.equals("--version")) {
            System.out.println("Pollux " + Startup.version());
            return 0;
        }
        return run(name, rest);
    }

    private static int run(String name, List<String> arguments) {
        for (Command command : COMMANDS) {
            if (command.name().equals(name)) {
                return command.run(arguments, System.out, System.err);
            }
        }
        System.err.println("unknown command " + name + ": there are "
                + COMMANDS.stream().map(Command::name).collect(joining(", "))
                + ". Without a command this tells whether Pollux works here; --help tells more");
        return Command.WRONG_COMMAND_LINE;
    }

    /** A mechanism needs no class of its own; but what a check starts is on the best one without it. */
    static SelectorProvider provider(String mechanism) {
        return PROVIDERS.stream().filter(each -> each.isOf(mechanism)).findFirst()
                .orElseGet(() -> new PolluxSelectorProvider(mechanism));
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
        if (!List.of(Arena.mechanisms().split(",")).contains(URING)) {
            line(URING, "not on this platform");
            return;
        }
        try {
            Arena arena = Arena.open(null, 0, 0);
            String outcome = arena.name().equals(URING) ? "permitted" : "not used";
            line(URING, outcome + ", kernel " + System.getProperty("os.version") + "; a StreamServer runs on "
                    + arena.features());
            arena.close();
        } catch (IOException e) {
            line(URING, "not known: " + e.getMessage());
        }
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
        try (Bench bench = new Bench(provider)) {
            Pipe pipe = bench.pipe();
            SelectionKey key = bench.register(pipe.source(), SelectionKey.OP_READ);
            bench.expectNothing("in an empty pipe");
            pipe.sink().write(ByteBuffer.allocate(1));
            bench.awaitReady(key, SelectionKey.OP_READ);
            pipe.source().read(ByteBuffer.allocate(1));
            new Thread(bench.selector::wakeup).start();
            bench.awaitWakeup();
        }
    }
}
