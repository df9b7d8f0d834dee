// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.apps;

import java.nio.file.Path;

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
 * @param provider the provider's class that is compared with the JDK's default
 * @param pollux the jar
 */
record Plan(int pairs, int rounds, int requests, int paced, int rate, int warmUp, int traced, int connections,
        String provider, Path pollux, Path logs) {
    /** The same with so few requests and rounds that it takes a minute: to see that it works. */
    Plan quick() {
        return new Plan(1, 2, 5_000, paced, rate, 5_000, 1_000, connections, provider, pollux, logs);
    }
}
