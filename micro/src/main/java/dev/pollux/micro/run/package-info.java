// SPDX-License-Identifier: Apache-2.0
/**
 * Runs the benchmarks so that two providers can be compared fairly on a machine that does other
 * things too: one fork of each at a time, in turns, a ratio per round, the median of the ratios.
 */
package dev.pollux.micro.run;
