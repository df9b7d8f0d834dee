// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.handout;

import java.util.List;

/**
 * What was asked for, for the file of figures too.
 *
 * @param threads each number is measured on its own
 * @param members of the Poller, all of which are ready all the time
 * @param batch   how many members a thread takes at most in {@link Way#BATCH}
 */
record Plan(List<Load> loads, List<Integer> threads, int members, int batch, int rounds, double seconds,
        double warmUp) {
}
