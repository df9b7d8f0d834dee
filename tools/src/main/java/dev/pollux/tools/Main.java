// SPDX-License-Identifier: Apache-2.0
package dev.pollux.tools;

import dev.pollux.Diagnosis;
import dev.pollux.internal.startup.Startup;
import dev.pollux.tools.check.Check;
import dev.pollux.tools.compare.Compare;
import dev.pollux.tools.top.Top;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.Charset;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.HelpCommand;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.ScopeType;

/** {@code java -jar pollux-tools.jar}: what all of its commands have in common. */
@Command(name = "java -jar pollux-tools.jar", description = "Looks at, checks and compares selectors.",
        subcommands = {Check.class, Compare.class, Top.class, Extract.class, HelpCommand.class},
        scope = ScopeType.INHERIT, mixinStandardHelpOptions = true, versionProvider = Main.Version.class,
        exitCodeListHeading = "%nExit code:%n",
        exitCodeList = {"0:it did what it was asked for", "1:it failed, and said why", "2:the command line is wrong"})
public final class Main {
    private Main() {
    }

    /** Does what the first argument names, and ends the program. */
    public static void main(String[] arguments) {
        String encoding = System.getProperty("stdout.encoding", Charset.defaultCharset().name()); // from JDK 19 on
        PrintWriter out = new PrintWriter(System.out, true, Charset.forName(encoding)); // picocli's hides errors
        System.exit(commandLine().setOut(out).execute(arguments));
    }

    static CommandLine commandLine() {
        return new CommandLine(new Main()).setParameterExceptionHandler(Main::correct)
                .setExecutionExceptionHandler(Main::report);
    }

    @Command(description = {"Prints what Pollux finds on this machine, for a bug report.",
            "It fails if Pollux does not work here."})
    void diagnose() {
        Diagnosis.main(new String[0]);
    }

    private static int correct(ParameterException wrong, String[] arguments) {
        PrintWriter err = wrong.getCommandLine().getErr();
        err.println(wrong.getMessage());
        wrong.getCommandLine().usage(err);
        return ExitCode.USAGE;
    }

    /** A message of ours says all. Of the JDK's exceptions the class is told, too; of an error of ours the stack. */
    private static int report(Exception failure, CommandLine command, ParseResult line) throws Exception {
        if (failure instanceof InterruptedException) {
            return ExitCode.SOFTWARE;
        } else if (!(failure instanceof IOException)) {
            throw failure;
        }
        String text = failure.getClass() == IOException.class ? failure.getMessage()
                : command.getCommandName() + " failed: " + failure;
        boolean isDescriptorLimit = text.contains("Too many open files") && !text.contains("ulimit -n");
        command.getErr().println(isDescriptorLimit ? text + ". Raise the limit of open files (ulimit -n)" : text);
        return ExitCode.SOFTWARE;
    }

    /** What {@code --version} prints. */
    static final class Version implements IVersionProvider {
        @Override
        public String[] getVersion() {
            return new String[] {"Pollux " + Startup.version()};
        }
    }
}
