// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.check;

import dev.pollux.internal.check.Outcome.Result;
import dev.pollux.internal.startup.Startup;
import dev.pollux.internal.tool.Arguments;
import dev.pollux.internal.tool.Command;
import dev.pollux.internal.tool.Command.Option;
import dev.pollux.internal.tool.JsonObject;
import dev.pollux.internal.tool.WrongArgumentException;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.channels.spi.SelectorProvider;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** {@code java -jar pollux.jar check}: tries out what selectors promise, in the user's own environment. */
public final class Check {
    private final PrintStream out;
    private final boolean json;
    private final List<Outcome> outcomes = new ArrayList<>();

    private Check(PrintStream out, boolean json) {
        this.out = out;
        this.json = json;
    }

    /** {@return the command, which tries out a provider for each mechanism} */
    public static Command command(Function<String, SelectorProvider> providers) {
        return new Command("check", "tries out whether selectors keep their promises here",
                "", List.of(new Option("--mechanism NAME",
                        "on this mechanism alone; a name that is not here is answered with those that are"),
                        new Option("--json", "print one JSON object")), """
                Tries out whether selectors keep their promises here: with real connections, datagrams, pipes, signals
                and threads, on every mechanism, within 15 seconds. It needs the loopback address, and nothing but this
                jar.
                """, """
                Each line has the mechanism, the check, and ok, FAILED or skipped with the reason.
                """, "something failed", (arguments, out) -> run(arguments, out, new Trials(providers)));
    }

    private static boolean run(Arguments arguments, PrintStream out, Trials trials) throws IOException {
        Startup startup = Startup.outcome();
        startup.require(null);
        List<String> mechanisms = startup.mechanisms();
        if (arguments.has("--mechanism")) {
            String mechanism = arguments.text("--mechanism");
            if (!mechanisms.contains(mechanism)) {
                throw new WrongArgumentException("no mechanism is called " + mechanism + " here; there are "
                        + String.join(", ", mechanisms));
            }
            mechanisms = List.of(mechanism);
        }
        return new Check(out, arguments.has("--json")).runAll(mechanisms, trials);
    }

    private boolean runAll(List<String> mechanisms, Trials trials) {
        for (String mechanism : mechanisms) {
            trials.runAll(mechanism, this::report);
        }
        String sum = count(Result.OK) + " ok, " + count(Result.FAILED) + " failed, " + count(Result.SKIPPED)
                + " skipped";
        out.println(json ? json() : sum);
        if (!json && count(Result.FAILED) > 0) {
            out.println("If this is not your system's doing, please report it with what java -jar pollux.jar prints.");
        }
        return count(Result.FAILED) == 0;
    }

    private void report(Outcome outcome) {
        outcomes.add(outcome);
        if (!json) {
            out.println(Outcome.TABLE.row(outcome));
        }
    }

    private long count(Result result) {
        return outcomes.stream().filter(outcome -> outcome.result() == result).count();
    }

    private JsonObject json() {
        return new JsonObject().put("pollux", Startup.version())
                .put("platform", Startup.outcome().platform().folder())
                .put("jdk", Runtime.version().toString())
                .put("ok", count(Result.OK))
                .put("failed", count(Result.FAILED))
                .put("skipped", count(Result.SKIPPED))
                .put("checks", outcomes.stream().map(Outcome::json).toList());
    }
}
