// SPDX-License-Identifier: Apache-2.0
package dev.pollux.tools.top;

import dev.pollux.internal.count.Printable;
import dev.pollux.internal.tell.TopAgent;
import dev.pollux.tools.tool.Arguments;
import dev.pollux.tools.tool.Command;
import dev.pollux.tools.tool.Command.Option;
import dev.pollux.tools.tool.TextTable;
import dev.pollux.tools.tool.TextTable.Column;
import java.io.IOException;
import java.io.PrintStream;
import java.net.SocketException;
import java.net.URISyntaxException;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.util.List;

/**
 * {@code java -jar pollux-tools.jar top}: shows what the loops of another virtual machine do. This half asks and shows,
 * {@link TopAgent} answers from within. Stateless.
 */
public final class Top {
    public static final Command COMMAND = new Command("top", "shows what the selectors of another Java process do",
            "[PID]", List.of(new Option("--once", "show what one second brings, and end"),
                    new Option("--json", "print one JSON object for each second, on one line"),
                    new Option("--stack", "show the stack of the busiest loop's thread, too")), """
            Shows each second what every selector, Poller and StreamServer of a Java virtual machine does.
            Without a PID it lists the virtual machines; those on Pollux are marked.
            """, """
            While it runs: ? shows the keys, q quits. Without stty(1), or if TERM is dumb, press Enter after each.
            """, "the process can't be looked at or ends, or the output can't be written", Top::run);
    private static final String MODULE = "jdk.attach";

    private static final TextTable<Attachment.Vm> LIST = new TextTable<>(List.of(
            new Column<>("PID", 7, Attachment.Vm::pid),
            new Column<>("POLLUX", -6, vm -> new Target(vm.pid()).isOnPollux() ? "yes" : "-"),
            new Column<>("PROGRAM", -1, vm -> Printable.of(vm.program()))));

    private Top() {
    }

    private static int run(Arguments arguments, PrintStream out) throws IOException, InterruptedException {
        long pid = arguments.number("PID", 1, Long.MAX_VALUE, 0);
        if (ModuleLayer.boot().findModule(MODULE).isEmpty()) {
            throw new IOException("this Java runtime, " + System.getProperty("java.home") + ", has no module "
                    + MODULE + ". Run top by java -jar, with the java of a JDK; the process to look at may run on"
                    + " less");
        }
        if (pid == 0) {
            out.println(LIST.head());
            Attachment.all().forEach(vm -> out.println(LIST.row(vm)));
            out.println("Choose one: java -jar pollux-tools.jar top PID");
        } else {
            Target target = new Target(pid);
            target.check();
            try {
                Screen.run(target, jar(), out, arguments);
            } catch (FileSystemException | SocketException e) {
                throw new IOException("could not open a socket for the other process to connect to: " + e, e);
            }
        }
        return out.checkError() ? Command.FAILED : 0;
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
}
