// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.servers;

import java.util.List;

/**
 * What was asked for. Immutable.
 *
 * @param connections each number is measured on its own
 * @param sets how often each way gets fresh virtual machines
 * @param rounds of each set
 * @param requests measured in a round of one way
 * @param outstanding requests without a reply at any moment
 * @param warmUp requests before the measured ones, once on few connections and once on all
 * @param stackKib of a platform thread
 * @param seed of the order of the requests; round after round another one, the same for all ways
 */
record Plan(List<Integer> connections, int sets, int rounds, int requests, int outstanding, int warmUp, Sizes sizes,
        int stackKib, long seed) {
}
