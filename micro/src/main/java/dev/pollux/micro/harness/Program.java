// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.harness;

import java.io.IOException;
import java.lang.reflect.Field;
import java.nio.file.Path;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * A program with its command line: subclasses add options and {@link #call}. Its {@code main} ends with {@link #run}.
 * Used by one thread.
 */
@Command(sortOptions = false, showDefaultValues = true, usageHelpAutoWidth = true)
public abstract class Program implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Option(names = "--rounds", paramLabel = "N", description = "rounds; ratios are formed within a round")
    public int rounds;

    @Option(names = "--seconds", paramLabel = "S", description = "length of a turn")
    public double seconds;

    @Option(names = "--warm-up", paramLabel = "S", description = "seconds that a process runs before it is measured")
    public double warmUp;

    @Option(names = "--help", usageHelp = true, description = "print this text")
    private boolean help;

    /** Where the script wants the figures. */
    @Option(names = "--json", hidden = true, required = true)
    private Path json;

    /**
     * Parses and runs the program, and ends the virtual machine, with 2 if the command line is wrong.
     *
     * @param defaults of options, beyond those that they have themselves
     */
    protected static void run(Program program, Map<String, String> defaults, String[] args) {
        JavaProcess.endAllOnExit();
        System.exit(new CommandLine(program).setCaseInsensitiveEnumValuesAllowed(true)
                .setOverwrittenOptionsAllowed(true)
                .setDefaultValueProvider(argument -> argument instanceof OptionSpec option
                        ? Stream.of(option.names()).map(defaults::get).filter(Objects::nonNull).findAny().orElse(null)
                        : null)
                .setParameterExceptionHandler(Program::explain).execute(args));
    }

    /** Refuses turns that measure nothing. */
    protected final void checkTurns() {
        if (rounds < 1 || seconds <= 0 || warmUp <= 0) {
            throw wrong("--rounds, --seconds and --warm-up must be positive");
        }
    }

    /** Refuses numbers below 1; the option, or several, that they come from. */
    protected final void checkPositive(String options, List<Integer> numbers) {
        if (Collections.min(numbers) < 1) {
            throw wrong(options + " must be 1 or more");
        }
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

    /** Refuses an option for what is in the way of it; null if nothing is. */
    protected final void refuse(String option, String problem) {
        if (problem != null) {
            throw wrong(option + ": " + problem);
        }
    }

    /** Those ways whose names were given by --only; all if that is null. */
    protected final <W> List<W> chosen(List<W> ways, List<String> only) {
        List<String> names = ways.stream().map(Object::toString).toList();
        if (only != null && !names.containsAll(only)) {
            throw wrong("--only: there are " + String.join(", ", names));
        }
        return ways.stream().filter(way -> only == null || only.contains(way.toString())).toList();
    }

    /** Writes what was asked for, which are the options, and the figures of every round. */
    protected final void write(Object results) throws IOException {
        save(results);
        System.out.println("figures: " + json);
    }

    /** As {@link #write}, of what is there so far: a run may be broken off. */
    public final void save(Object results) throws IOException {
        Map<String, Object> plan = new LinkedHashMap<>();
        spec.options().stream().filter(option -> !option.hidden() && !option.usageHelp())
                .forEach(option -> plan.put(((Field) option.userObject()).getName(), option.getValue()));
        Figures.write(json, plan, results);
    }
}
