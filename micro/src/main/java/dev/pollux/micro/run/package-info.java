// SPDX-License-Identifier: Apache-2.0
/** Runs the benchmarks so that two providers can be compared fairly on a machine that does other things too. */
package dev.pollux.micro.run;
