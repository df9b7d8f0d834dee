// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.ring;

import java.util.List;

/**
 * What was asked for; it goes into the file of figures too.
 *
 * @param cpu whether ratios are made of processor time
 */
record Plan(List<Integer> pipes, List<String> ways, int rounds, double seconds, double warmUp, int tokens, Idle idle,
        boolean cpu) {
}
