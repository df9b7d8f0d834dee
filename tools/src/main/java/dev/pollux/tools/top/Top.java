// SPDX-License-Identifier: Apache-2.0
package dev.pollux.tools.top;

import com.grack.nanojson.JsonObject;
import dev.pollux.internal.count.Printable;
import dev.pollux.internal.tell.TopAgent;
import dev.pollux.tools.common.Json;
import dev.pollux.tools.common.TextTable;
import dev.pollux.tools.common.TextTable.Column;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.SocketException;
import java.net.URISyntaxException;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.time.Instant;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/**
 * {@code java -jar pollux-tools.jar top}: shows what the loops of another virtual machine do. This half asks and shows,
 * {@link TopAgent} answers from within. Used by one thread.
 */
@Command(name = "top", description = {"Shows what the selectors of another Java process do.",
        "Each second it asks every selector, Poller and StreamServer of a Java virtual machine, and shows those in"
                + " trouble first, then the busiest. Without a PID it lists the virtual machines; those on Pollux are"
                + " marked."},
        footer = {"", "While it runs: s shows or hides the stack, q quits. Without stty(1), or if TERM is dumb, press"
                + " Enter after each."})
public final class Top implements Callable<Integer> {
    private static final String MODULE = "jdk.attach";

    private static final TextTable<Attachment.Vm> LIST = new TextTable<>(List.of(
            new Column<>("PID", 7, Attachment.Vm::pid),
            new Column<>("POLLUX", -6, vm -> new Target(vm.pid()).isOnPollux() ? "yes" : "-"),
            new Column<>("PROGRAM", -1, vm -> Printable.of(vm.program()))));

    @Spec
    private CommandSpec spec;

    @Parameters(paramLabel = "PID", arity = "0..1", description = "the process to look at")
    private Long pid;

    @Option(names = "--once", description = "show what one second brings, and end")
    private boolean isOnce;

    @Option(names = "--json", description = "print one JSON object for each second, on one line")
    private boolean isJson;

    @Option(names = "--stack", description = "show the stack of the busiest loop's thread, too")
    private boolean showsStack;

    @Option(names = "--loop", paramLabel = "NR", description = "show the stack and all else that is known of this loop")
    private Long chosen;

    @Override
    public Integer call() throws IOException, InterruptedException {
        if (pid != null && pid < 1) {
            throw new ParameterException(spec.commandLine(), "wrong PID: " + pid);
        } else if (ModuleLayer.boot().findModule(MODULE).isEmpty()) {
            throw new IOException("this Java runtime, " + System.getProperty("java.home") + ", has no module "
                    + MODULE + ". Run top by java -jar, with the java of a JDK; the process to look at may run on"
                    + " less");
        }
        PrintWriter out = spec.commandLine().getOut();
        if (pid == null) {
            out.println(LIST.head());
            Attachment.all().forEach(vm -> out.println(LIST.row(vm)));
            out.println("Choose one: java -jar pollux-tools.jar top PID");
        } else {
            showsStack |= chosen != null;
            Target target = new Target(pid);
            target.check();
            try {
                look(target, out);
            } catch (FileSystemException | SocketException e) {
                throw new IOException("could not open a socket for the other process to connect to: " + e, e);
            }
        }
        return out.checkError() ? ExitCode.SOFTWARE : ExitCode.OK;
    }

    private static Path jar() throws IOException {
        try {
            Path jar = Path.of(Top.class.getProtectionDomain().getCodeSource().getLocation().toURI());
            if (jar.toString().endsWith(".jar")) {
                return jar.toAbsolutePath();
            }
        } catch (URISyntaxException e) {
            // said below
        }
        throw new IOException("top must run from Pollux's jar, which the other process loads");
    }

    /** Shows each second's loops until the user quits, or the output can't be written; or those of one second. */
    private void look(Target target, PrintWriter out) throws IOException, InterruptedException {
        // Opened first: keys are not to be echoed meanwhile.
        try (Terminal terminal = new Terminal(out, isOnce || isJson); Link link = Link.connect(target, jar())) {
            List<Sample> before = link.loops();
            while (obeyFor(TimeUnit.SECONDS.toNanos(1), terminal)) {
                List<Sample> now = link.loops();
                show(Interval.between(before, now), link, terminal);
                if (isOnce || out.checkError()) {
                    return;
                }
                before = now;
            }
        }
    }

    /** Returns false if the user wants to quit. */
    private boolean obeyFor(long nanos, Terminal terminal) throws IOException, InterruptedException {
        long end = System.nanoTime() + nanos;
        for (int key = terminal.awaitKey(end); key != Terminal.NO_KEY; key = terminal.awaitKey(end)) {
            if (key == 'q') {
                return false;
            }
            showsStack ^= key == 's';
        }
        return true;
    }

    private void show(List<Interval> loops, Link link, Terminal terminal) throws IOException, InterruptedException {
        Optional<Interval> detailed = !showsStack ? Optional.empty() : chosen == null ? Interval.busiest(loops)
                : loops.stream().filter(loop -> loop.number() == chosen).findAny();
        List<String> stack = detailed.isPresent() ? link.stack(detailed.get().number()) : List.of();
        if (isJson) {
            long number = detailed.map(Interval::number).orElse(0L);
            spec.commandLine().getOut().println(Json.line(json(Instant.now(), pid, loops, number, stack)));
        } else {
            String title = "Pollux, process " + pid + ", "
                    + LocalTime.now(ZoneId.systemDefault()).truncatedTo(ChronoUnit.SECONDS) + terminal.hint();
            terminal.show(Page.of(title, loops, detailed, stack, terminal.size()));
        }
    }

    /** {@return what {@code top --json} prints; the stack is that of the loop with this number} */
    static JsonObject json(Instant time, long pid, List<Interval> loops, long number, List<String> stack) {
        return JsonObject.builder().value("time", time.truncatedTo(ChronoUnit.MILLIS).toString()).value("pid", pid)
                .value("loops", loops.stream()
                        .map(loop -> loop.json(loop.number() == number ? stack : List.of())).toList())
                .done();
    }
}
