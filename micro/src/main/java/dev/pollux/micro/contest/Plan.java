// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.contest;

import java.util.List;

/**
 * What was asked for, for the file of figures too. Immutable.
 *
 * @param connections each number is measured on its own
 * @param modes of loading
 * @param sets how often each entry gets fresh processes, for each number of connections
 * @param rounds of each set
 * @param seconds a turn of one entry
 * @param warmUp seconds of load before a set's first round
 * @param outstanding requests on their way under full load, at most one for each connection
 * @param rate requests per second of a paced load
 * @param pipeline requests that a peer sends at once
 * @param countsCalls whether system calls are counted, in turns of their own
 * @param namesCalls whether they are counted by name, which slows a server down
 * @param readsMemory whether memory per connection is read, between few connections and all
 * @param readsSelectors whether the heap is searched for selectors
 */
public record Plan(List<Integer> connections, List<Mode> modes, int sets, int rounds, double seconds, double warmUp,
        int outstanding, int rate, int pipeline, boolean countsCalls, boolean namesCalls, boolean readsMemory,
        boolean readsSelectors) {
}
