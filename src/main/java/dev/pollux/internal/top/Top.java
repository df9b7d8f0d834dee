// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.top;

import dev.pollux.internal.insight.Printable;
import java.io.IOException;
import java.io.PrintStream;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * {@code java -jar pollux.jar top}: shows what the loops of another virtual machine do. This half asks and shows,
 * {@link TopAgent} answers from within. Used by one thread.
 */
public final class Top {
    private static final String MODULE = "jdk.attach";

    private final TopOptions options;
    private final PrintStream out;

    private Top(TopOptions options, PrintStream out) {
        this.options = options;
        this.out = out;
    }

    /**
     * Does what these arguments ask for.
     *
     * @return the exit code: 0; 1 if the virtual machine can't be looked at or ends, or the output can't be written any
     *     more; 2 if the arguments are wrong
     */
    public static int run(List<String> arguments, PrintStream out, PrintStream err) {
        try {
            new Top(TopOptions.of(arguments), out).run();
            return out.checkError() ? TopException.CANNOT : 0;
        } catch (TopException e) {
            err.println(e.getMessage());
            return e.exitCode();
        } catch (IOException e) {
            err.println("could not open a socket for the other process to connect to: " + e);
            return TopException.CANNOT;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return TopException.CANNOT;
        }
    }

    private void run() throws TopException, IOException, InterruptedException {
        if (options.help()) {
            out.print(TopOptions.HELP);
            return;
        }
        if (ModuleLayer.boot().findModule(MODULE).isEmpty()) {
            throw new TopException("this Java runtime, " + System.getProperty("java.home") + ", has no module "
                    + MODULE + ". Run top by java -jar, with the java of a JDK; the process to look at may run on"
                    + " less");
        }
        if (options.pid() == 0) {
            list();
            return;
        }
        Target target = new Target(options.pid());
        target.check();
        try (Link link = Link.to(target, jar())) {
            watch(link);
        }
    }

    private void list() {
        List<Attachment.Vm> all = Attachment.all();
        out.println("    PID  POLLUX  PROGRAM");
        all.forEach(vm -> out.printf("%7d  %-6s  %s%n", vm.pid(), new Target(vm.pid()).isOnPollux() ? "yes" : "-",
                Printable.of(vm.program())));
        out.println("Choose one: java -jar pollux.jar top PID");
    }

    private static Path jar() throws TopException {
        try {
            Path jar = Path.of(Top.class.getProtectionDomain().getCodeSource().getLocation().toURI());
            if (jar.toString().endsWith(".jar")) {
                return jar.toAbsolutePath();
            }
        } catch (URISyntaxException e) {
            // said below
        }
        throw new TopException("top must run from Pollux's jar, which the other process loads");
    }

    private void watch(Link link) throws TopException, IOException, InterruptedException {
        Screen screen = new Screen(out, options);
        List<Sample> before = link.loops();
        boolean goesOn;
        do {
            TimeUnit.SECONDS.sleep(1);
            List<Sample> now = link.loops();
            List<Interval> loops = Interval.between(before, now);
            Optional<Interval> busiest = screen.showsStack() ? Interval.busiest(loops) : Optional.empty();
            List<String> stack = busiest.isEmpty() ? List.of() : link.stack(number(busiest));
            goesOn = screen.show(loops, number(busiest), stack) && !options.once() && !screen.isLeft();
            before = now;
        } while (goesOn);
    }

    private static long number(Optional<Interval> loop) {
        return loop.map(found -> found.now().value(Sample.LOOP)).orElse(0L);
    }
}
