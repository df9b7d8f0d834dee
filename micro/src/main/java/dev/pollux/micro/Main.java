// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro;

import dev.pollux.micro.apps.Apps;
import dev.pollux.micro.apps.Loops;
import dev.pollux.micro.bench.Bench;
import dev.pollux.micro.bench.Start;
import dev.pollux.micro.bench.Syscalls;
import dev.pollux.micro.harness.Child;
import dev.pollux.micro.harness.Program;
import dev.pollux.micro.redis.Redis;
import dev.pollux.micro.servers.Servers;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;

/** All programs that measure, each by its name; {@code run.sh} begins here. Used by one thread. */
@Command(name = "micro/run.sh", synopsisSubcommandLabel = "PROGRAM", subcommands = {Start.class, Syscalls.class,
    Loops.class},
        description = "Measures Pollux beside others; PROGRAM --help has each one's options.")
final class Main {
    @Option(names = "--help", usageHelp = true, description = "print this text")
    private boolean help;

    /** Ends the virtual machine, with 2 if the command line is wrong. */
    public static void main(String[] args) {
        Child.endAllOnExit();
        CommandLine all = new CommandLine(new Main());
        List<String> words = List.of(args);
        add(all, "bench", new Bench(), words);
        add(all, "apps", new Apps(true), words);
        add(all, "calls", new Apps(false), words);
        for (String name : List.of("servers", "interrupt", "cache")) {
            add(all, name, new Servers(name), words);
        }
        add(all, "redis", new Redis(), words);
        System.exit(all.setCaseInsensitiveEnumValuesAllowed(true).setOverwrittenOptionsAllowed(true)
                .setParameterExceptionHandler(Main::explain).setExecutionExceptionHandler(Main::report).execute(args));
    }

    private static void add(CommandLine all, String name, Program program, List<String> words) {
        Map<String, String> defaults = program.defaults(words);
        all.addSubcommand(name, new CommandLine(program).setDefaultValueProvider(
                argument -> argument instanceof OptionSpec option
                        ? Stream.of(option.names()).map(defaults::get).filter(Objects::nonNull).findAny().orElse(null)
                        : null));
    }

    /** In one line below the progress; all of it with the tables. */
    private static int report(Exception failure, CommandLine program, ParseResult line) {
        failure.printStackTrace(System.out);
        System.err.println("failed: " + failure.toString().lines().findFirst().orElseThrow());
        return 1;
    }

    /** The message alone: it would drown in the usage. */
    private static int explain(ParameterException wrong, String[] args) {
        System.err.println(wrong.getMessage() + "; --help explains all options");
        return 2;
    }
}
