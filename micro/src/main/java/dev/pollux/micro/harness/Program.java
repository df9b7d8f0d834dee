// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.harness;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonPrimitive;
import com.google.gson.JsonSerializer;
import java.io.IOException;
import java.lang.reflect.Field;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** A program that measures, with its options. Subclasses add some, and {@link #call}. Used by one thread. */
@Command(sortOptions = false, showDefaultValues = true, usageHelpAutoWidth = true, footer = {"", "Of the script:",
    "  --jdk DIR        the JDK to run on (default: the java command)",
    "  --no-build       use what was built before",
    "  --plot FILE...   draw the plots in docs/ from the figures of earlier runs, if there are any"})
public abstract class Program implements Callable<Integer> {
    private static final Gson GSON = new GsonBuilder().setPrettyPrinting().registerTypeAdapter(Pattern.class,
            (JsonSerializer<Pattern>) (pattern, type, context) -> new JsonPrimitive(pattern.pattern())).create();

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
    @Option(names = "--json", hidden = true, required = true, defaultValue = "${env:POLLUX_FIGURES}")
    private Path json;

    /** The whole file: where it was measured, what was asked for, what came out. Records and lists become JSON. */
    private record Content(String java, String os, int processors, Map<String, Object> plan, Object results) {
    }

    /** Defaults of options, beyond those that they have themselves, by name; the words are the command line. */
    public abstract Map<String, String> defaults(List<String> words);

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

    /** For a combination of options that makes no sense or that the system does not permit. */
    protected final ParameterException wrong(String message) {
        return new ParameterException(spec.commandLine(), message);
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
        Content content = new Content(Runtime.version().toString(),
                System.getProperty("os.name") + " " + System.getProperty("os.version"),
                Runtime.getRuntime().availableProcessors(), plan, results);
        Files.createDirectories(json.toAbsolutePath().getParent());
        Files.writeString(json, GSON.toJson(content) + "\n");
    }
}
