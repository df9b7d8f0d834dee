// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.calls;

import dev.pollux.micro.harness.Mode;
import dev.pollux.micro.harness.Pace;
import java.util.List;

/**
 * What was asked for. Immutable.
 *
 * @param sides what the servers run on
 * @param connections each number is measured on its own
 * @param modes of loading
 * @param sets how often each server gets fresh virtual machines on all sides, for each number of connections
 * @param rounds of each set
 * @param warmUp seconds of load on each side before a set's first round
 * @param pace of a turn
 * @param body bytes of a reply
 * @param pipeline requests that a peer sends at once
 * @param countsCalls whether system calls are counted, in one more turn of each side and set
 */
record Plan(List<Subject> servers, List<Side> sides, List<Integer> connections, List<Mode> modes, int sets, int rounds,
        double warmUp, Pace pace, int body, int pipeline,
        boolean countsCalls) {
}
