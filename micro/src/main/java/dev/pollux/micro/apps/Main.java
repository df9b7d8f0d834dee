// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.apps;

import dev.pollux.micro.apps.server.Side;
import dev.pollux.micro.harness.JavaProcess;
import dev.pollux.micro.harness.Program;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * The entry point: for each server some pairs of fresh virtual machines, one on the JDK's selectors and one on Pollux,
 * loaded in turns by one client. Ends with 1 if a server did not use the selectors it was meant to.
 */
@Command(name = "micro/apps.sh", description = "Measures unmodified servers on the JDK's selectors and on Pollux.",
        footer = {"", "The script's own options:",
            "  --jdk DIR        the JDK to run on (default: the java command)",
            "  --no-build       use what was built before"})
public final class Main extends Program {
    private static final int PACED = 1_000;
    private static final int WARM_UP = 60_000;
    private static final int TRACED = 4_000;

    @Option(names = "--quick", description = "one pair, two rounds, few requests: to see that it works")
    private boolean quick;

    @Option(names = "--pairs", paramLabel = "N", defaultValue = "3",
            description = "fresh pairs of virtual machines for each server")
    private int pairs;

    @Option(names = "--rounds", paramLabel = "N", defaultValue = "20", description = "rounds of each pair")
    private int rounds;

    @Option(names = "--requests", paramLabel = "N", defaultValue = "6000",
            description = "requests to each side in a round")
    private int requests;

    @Option(names = "--rate", paramLabel = "N", defaultValue = "2000", description = "requests per second, paced load")
    private int rate;

    @Option(names = "--connections", paramLabel = "N", defaultValue = "64", description = "connections kept alive")
    private int connections;

    @Option(names = "--only", paramLabel = "NAME", split = ",",
            defaultValue = "httpserver,netty,jetty,tomcat,undertow", description = "the servers to measure")
    private List<Subject> only;

    @Option(names = "--provider", paramLabel = "CLASS", defaultValue = "dev.pollux.PolluxSelectorProvider",
            description = "the provider that is compared with the JDK's default")
    private String provider;

    /** Where the script has put the jar, and wants the logs. */
    @Option(names = "--pollux", hidden = true, required = true)
    private Path pollux;

    @Option(names = "--logs", hidden = true, required = true)
    private Path logs;

    /** Arguments: what {@code --help} explains. */
    public static void main(String[] args) {
        run(new Main(), args);
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        if (Collections.min(List.of(pairs, rounds, requests, rate, connections)) < 1) {
            throw wrong("numbers must be 1 or more");
        }
        Plan plan = new Plan(pairs, rounds, requests, PACED, rate, WARM_UP, TRACED, connections, provider, pollux,
                Files.createDirectories(logs));
        return measure(quick ? plan.quick() : plan) ? 0 : 1;
    }

    private boolean measure(Plan plan) throws IOException, InterruptedException {
        say("JDK " + Runtime.version() + ", " + System.getProperty("os.name") + " " + System.getProperty("os.version")
                + ", " + Runtime.getRuntime().availableProcessors() + " processors");
        List<Row> rows = new ArrayList<>();
        for (Subject subject : only) {
            Row row = new Row(subject);
            rows.add(row);
            for (int pair = 0; pair < plan.pairs(); pair++) {
                measure(plan, row, pair);
            }
        }
        new Table(System.out).print(rows);
        Json.write(json(), plan, rows);
        System.out.println("\nfigures: " + json());
        List<Row> wrong = rows.stream().filter(row -> !row.rightSelectors()).toList();
        wrong.forEach(row -> System.out.println(
                "WRONG: " + row.subject.label + " did not use the selectors it was meant to use"));
        return wrong.isEmpty();
    }

    /** Every second round goes backwards, so that no side always profits from its place. */
    private static void measure(Plan plan, Row row, int pair) throws IOException, InterruptedException {
        try (JavaProcess client = new JavaProcess(plan.logs().resolve("client.log"), List.of(), Load.class);
                LoadedServer jdk = new LoadedServer(row.subject, Side.JDK, plan, client);
                LoadedServer pollux = new LoadedServer(row.subject, Side.POLLUX, plan, client)) {
            List<LoadedServer> order = new ArrayList<>(List.of(jdk, pollux));
            if (pair % 2 == 1) {
                Collections.reverse(order);
            }
            for (LoadedServer one : order) {
                one.awaitStart();
                one.warmUp();
            }
            row.version = jdk.version();
            for (int round = 0; round < plan.rounds(); round++) {
                for (LoadedServer one : order) {
                    row.add(one.side, one.measure());
                }
                Collections.reverse(order);
                report(plan, row, pair, round);
            }
            for (LoadedServer one : order) {
                for (Figure load : List.of(Figure.CALLS, Figure.PACED_CALLS)) {
                    row.addCalls(one.side, load, one.countCalls(load));
                }
                row.selectors.put(one.side, one.selectors());
            }
        }
    }

    private static void report(Plan plan, Row row, int pair, int round) {
        List<Double> cpu = row.ratios(Figure.CPU);
        List<Double> paced = row.ratios(Figure.PACED_CPU);
        List<Double> rate = row.values(Side.POLLUX, Figure.RATE);
        say(String.format(Locale.ROOT,
                "%s: pair %d of %d, round %d of %d, %.0f requests/s, CPU %.3f of the JDK's, paced %.3f",
                row.subject.label, pair + 1, plan.pairs(), round + 1, plan.rounds(), rate.get(rate.size() - 1),
                cpu.get(cpu.size() - 1), paced.get(paced.size() - 1)));
    }

    private static void say(String what) {
        System.out.println("  " + what);
    }
}
