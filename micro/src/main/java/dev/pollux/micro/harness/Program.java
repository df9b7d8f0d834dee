// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.harness;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * A program with its command line: subclasses add options and {@link #call}. Its {@code main} ends with {@link #run}.
 * Used by one thread.
 */
@Command(sortOptions = false, showDefaultValues = true, usageHelpAutoWidth = true, footer = {
    "", "The script's own options:",
    "  --jdk DIR        the JDK to run on (default: the java command)",
    "  --no-build       use what was built before",
    "  --plot FILE...   draw the plots in docs/ from the figures of earlier runs, and measure nothing"})
public abstract class Program implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Option(names = "--help", usageHelp = true, description = "print this text")
    private boolean help;

    /** Where the script wants the figures. */
    @Option(names = "--json", hidden = true, required = true)
    private Path json;

    /** Parses and runs the program, and ends the virtual machine, with 2 if the command line is wrong. */
    protected static void run(Program program, String[] args) {
        JavaProcess.endAllOnExit();
        System.exit(new CommandLine(program).setCaseInsensitiveEnumValuesAllowed(true)
                .setParameterExceptionHandler(Program::explain).execute(args));
    }

    /** The message alone: it would drown in the usage. */
    private static int explain(ParameterException wrong, String[] args) {
        System.err.println(wrong.getMessage() + "; --help explains all options");
        return 2;
    }

    /** For a combination of options that makes no sense or that the system does not permit. */
    protected final ParameterException wrong(String message) {
        return new ParameterException(spec.commandLine(), message);
    }

    /** Where the figures of every round go. */
    protected final Path json() {
        return json;
    }

    /** Writes the figures of every round. Arguments: what was asked for, and what came out; see {@link Figures}. */
    protected final void write(Object plan, Object results) throws IOException {
        save(plan, results);
        System.out.println("figures: " + json);
    }

    /** As {@link #write}, of what is there so far: a run may be broken off. */
    protected final void save(Object plan, Object results) throws IOException {
        Figures.write(json, plan, results);
    }
}
