// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.apps;

import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * What the command line asked for. Immutable.
 *
 * @param pairs how many fresh pairs of virtual machines each server gets
 * @param rounds how many rounds each pair gets
 * @param requests requests of one side in a round, as fast as it takes them
 * @param paced requests of one side in a round, at the rate
 * @param rate requests per second of the paced load
 * @param warmUp requests of one side before the rounds
 * @param traced requests of one side while system calls are counted
 * @param connections kept alive, with one request outstanding each
 * @param only the servers to measure
 * @param provider the provider's class that is compared with the JDK's default
 */
record Plan(int pairs, int rounds, int requests, int paced, int rate, int warmUp, int traced, int connections,
        List<Subject> only, String provider, Path pollux, Path json, Path logs) {

    private static final String USAGE = """
            usage: micro/apps.sh [quick] [options]
              quick             one pair, two rounds, few requests: to see that it works
              --pairs N         fresh pairs of virtual machines for each server (3)
              --rounds N        rounds of each pair (20)
              --requests N      requests of each side in a round (6000)
              --rate N          requests per second of the paced load (2000)
              --connections N   connections kept alive (64)
              --only NAME       httpserver, netty, jetty, tomcat or undertow; can be repeated
              --provider CLASS  compared with the JDK's default (dev.pollux.PolluxSelectorProvider)
              --jdk DIR         the JDK to run on
              --no-build        use what was built before
            """;

    /** Arguments: the jar of Pollux, the file for the figures, the folder for logs, then what the usage says. */
    static Plan parse(String[] args) {
        Deque<String> left = new ArrayDeque<>(List.of(args));
        Plan plan = new Plan(3, 20, 6_000, 1_000, 2_000, 60_000, 4_000, 64, List.of(), "dev.pollux.PolluxSelectorProvider",
                Path.of(left.remove()), Path.of(left.remove()), Path.of(left.remove()));
        List<Subject> chosen = new ArrayList<>();
        while (!left.isEmpty()) {
            String word = left.remove();
            switch (word) {
                case "quick" -> plan = plan.often(1, 2).sized(5_000, 1_000, plan.rate, 5_000, 1_000, plan.connections);
                case "--pairs" -> plan = plan.often(number(left), plan.rounds);
                case "--rounds" -> plan = plan.often(plan.pairs, number(left));
                case "--requests" -> plan = plan.sized(number(left), plan.paced, plan.rate, plan.warmUp, plan.traced, plan.connections);
                case "--rate" -> plan = plan.sized(plan.requests, plan.paced, number(left), plan.warmUp, plan.traced, plan.connections);
                case "--connections" -> plan = plan.sized(plan.requests, plan.paced, plan.rate, plan.warmUp, plan.traced, number(left));
                case "--only" -> chosen.add(subject(value(left)));
                case "--provider" -> plan = plan.chosen(plan.only, value(left));
                default -> throw new IllegalArgumentException(word + "?\n" + USAGE);
            }
        }
        return plan.chosen(chosen.isEmpty() ? List.of(Subject.values()) : List.copyOf(chosen), plan.provider);
    }

    private static Subject subject(String word) {
        for (Subject subject : Subject.values()) {
            if (subject.word().equals(word)) {
                return subject;
            }
        }
        throw new IllegalArgumentException("no server " + word + "\n" + USAGE);
    }

    private static String value(Deque<String> left) {
        if (left.isEmpty()) {
            throw new IllegalArgumentException("the last option needs a value\n" + USAGE);
        }
        return left.remove();
    }

    private static int number(Deque<String> left) {
        int number = Integer.parseInt(value(left));
        if (number < 1) {
            throw new IllegalArgumentException(number + " is too small\n" + USAGE);
        }
        return number;
    }

    private Plan often(int newPairs, int newRounds) {
        return new Plan(newPairs, newRounds, requests, paced, rate, warmUp, traced, connections, only, provider, pollux, json, logs);
    }

    private Plan sized(int newRequests, int newPaced, int newRate, int newWarmUp, int newTraced, int newConnections) {
        return new Plan(pairs, rounds, newRequests, newPaced, newRate, newWarmUp, newTraced, newConnections, only, provider, pollux,
                json, logs);
    }

    private Plan chosen(List<Subject> newOnly, String newProvider) {
        return new Plan(pairs, rounds, requests, paced, rate, warmUp, traced, connections, newOnly, newProvider, pollux, json, logs);
    }
}
