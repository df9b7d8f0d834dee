// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.interrupt;

import dev.pollux.micro.harness.Mode;
import dev.pollux.micro.harness.Pace;
import java.util.List;

/**
 * What was asked for. Immutable.
 *
 * @param connections each number is measured on its own
 * @param modes of loading
 * @param sets how often each way gets fresh processes
 * @param rounds of each set
 * @param seconds a turn of one way
 * @param warmUp seconds of load before a set's first round, on few connections and on all
 * @param outstanding requests on their way under full load, at most one for each connection
 * @param rate requests per second of a paced load
 * @param countsCalls whether system calls are counted, in turns of their own
 */
record Plan(Protocol protocol, List<Integer> connections, List<Mode> modes, int sets, int rounds, double seconds,
        double warmUp, int outstanding, int rate, boolean countsCalls) {
    Pace pace() {
        return new Pace(seconds, outstanding, rate);
    }
}
