// SPDX-License-Identifier: Apache-2.0
package dev.pollux.tools.check;

import com.grack.nanojson.JsonObject;
import dev.pollux.DevPollSelectorProvider;
import dev.pollux.EPollSelectorProvider;
import dev.pollux.KQueueSelectorProvider;
import dev.pollux.PollSelectorProvider;
import dev.pollux.PolluxSelectorProvider;
import dev.pollux.WEPollSelectorProvider;
import dev.pollux.internal.startup.Startup;
import dev.pollux.tools.check.Outcome.Result;
import dev.pollux.tools.common.Json;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.channels.spi.SelectorProvider;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code java -jar pollux-tools.jar check}: tries out what selectors promise, in the user's own environment. */
@Command(name = "check", description = {"Tries out whether selectors keep their promises here.",
        "With real connections, datagrams, pipes, signals and threads, on every mechanism, within 15 seconds, or two"
                + " minutes if the machine is busy. It needs the loopback address, and nothing but this jar.",
        "Each line has the mechanism, the check, and ok, FAILED or skipped with the reason."},
        exitCodeList = {"0:nothing failed", "1:something failed", "2:the command line is wrong",
            "3:nothing failed, but for lack of time some checks were not begun or did not end"})
public final class Check implements Callable<Integer> {
    private static final int INCOMPLETE = 3;

    @Spec
    private CommandSpec spec;

    @Option(names = "--mechanism", paramLabel = "NAME", description = "on this mechanism alone; a name that is not"
            + " here is answered with those that are")
    private String mechanism;

    @Option(names = "--json", description = "print one JSON object")
    private boolean isJson;

    private final Trials trials;
    private final List<Outcome> outcomes = new ArrayList<>();

    /** Tries out the provider of each mechanism. */
    public Check() {
        this(new Trials(Check::provider));
    }

    Check(Trials trials) {
        this.trials = trials;
    }

    /** A mechanism needs no class of its own; but what a check starts is on the best one without it. */
    private static SelectorProvider provider(String mechanism) {
        return switch (mechanism) {
            case "epoll" -> new EPollSelectorProvider();
            case "kqueue" -> new KQueueSelectorProvider();
            case "/dev/poll" -> new DevPollSelectorProvider();
            case "wepoll" -> new WEPollSelectorProvider();
            case "poll" -> new PollSelectorProvider();
            default -> new PolluxSelectorProvider(mechanism);
        };
    }

    @Override
    public Integer call() throws IOException {
        Startup startup = Startup.outcome();
        startup.require(null);
        List<String> mechanisms = startup.mechanisms();
        if (mechanism != null && !mechanisms.contains(mechanism)) {
            throw new ParameterException(spec.commandLine(), "no mechanism is called " + mechanism
                    + " here; there are " + String.join(", ", mechanisms));
        }
        PrintWriter out = spec.commandLine().getOut();
        for (String each : mechanism == null ? mechanisms : List.of(mechanism)) {
            trials.runAll(each, outcome -> report(outcome, out));
        }
        long omitted = outcomes.stream().filter(Outcome::isOmitted).count();
        if (isJson) {
            out.println(Json.line(json(startup)));
        } else {
            printSum(omitted, out);
        }
        return count(Result.FAILED) > 0 ? ExitCode.SOFTWARE : omitted > 0 ? INCOMPLETE : ExitCode.OK;
    }

    private void report(Outcome outcome, PrintWriter out) {
        outcomes.add(outcome);
        if (!isJson) {
            out.println(Outcome.TABLE.row(outcome));
        }
    }

    private void printSum(long omitted, PrintWriter out) {
        out.println(count(Result.OK) + " ok, " + count(Result.FAILED) + " failed, " + count(Result.SKIPPED)
                + " skipped");
        if (count(Result.FAILED) > 0) {
            out.println("If this is not your system's doing, please report it with what"
                    + " java -jar pollux-tools.jar diagnose prints.");
        }
        if (omitted > 0) {
            out.println(omitted + " of " + outcomes.size() + " checks had no time. This says nothing of them: try again"
                    + " when the machine has less to do.");
        }
    }

    private long count(Result result) {
        return outcomes.stream().filter(outcome -> outcome.result() == result).count();
    }

    private JsonObject json(Startup startup) {
        return JsonObject.builder().value("pollux", Startup.version())
                .value("platform", startup.platform().folder())
                .value("jdk", Runtime.version().toString())
                .value("ok", count(Result.OK))
                .value("failed", count(Result.FAILED))
                .value("skipped", count(Result.SKIPPED))
                .value("checks", outcomes.stream().map(Outcome::json).toList())
                .done();
    }
}
