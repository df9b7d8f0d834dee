// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.apps;

import dev.pollux.micro.apps.server.Side;
import dev.pollux.micro.harness.JavaProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;

/**
 * The entry point: for each server some pairs of fresh virtual machines, one on the JDK's selectors and one on Pollux,
 * loaded in turns by one client. Ends with 1 if a server did not use the selectors it was meant to.
 */
public final class Main {
    private final Plan plan;
    private final List<Row> rows = new ArrayList<>();

    private Main(Plan plan) {
        this.plan = plan;
    }

    /** Arguments: what {@link Plan#parse} explains. */
    public static void main(String[] args) throws Exception {
        Plan plan;
        try {
            plan = Plan.parse(args);
        } catch (IllegalArgumentException e) {
            System.err.println(e.getMessage());
            System.exit(2);
            return;
        }
        JavaProcess.endAllOnExit();
        Files.createDirectories(plan.logs());
        System.exit(new Main(plan).run() ? 0 : 1);
    }

    private boolean run() throws IOException, InterruptedException {
        say("JDK " + Runtime.version() + ", " + System.getProperty("os.name") + " " + System.getProperty("os.version")
                + ", " + Runtime.getRuntime().availableProcessors() + " processors");
        for (Subject subject : plan.only()) {
            Row row = new Row(subject);
            rows.add(row);
            for (int pair = 0; pair < plan.pairs(); pair++) {
                measure(row, pair);
            }
        }
        new Table(System.out).print(rows);
        Json.write(plan, rows);
        System.out.println("\nfigures: " + plan.json());
        List<Row> wrong = rows.stream().filter(row -> !row.rightSelectors()).toList();
        wrong.forEach(row -> System.out.println(
                "WRONG: " + row.subject.label + " did not use the selectors it was meant to use"));
        return wrong.isEmpty();
    }

    /** Every second round goes backwards, so that no side always profits from its place. */
    private void measure(Row row, int pair) throws IOException, InterruptedException {
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
                report(row, pair, round);
            }
            for (LoadedServer one : order) {
                for (Figure load : List.of(Figure.CALLS, Figure.PACED_CALLS)) {
                    row.addCalls(one.side, load, one.countCalls(load));
                }
                row.selectors.put(one.side, one.selectors());
            }
        }
    }

    private void report(Row row, int pair, int round) {
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
