// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.harness;

/**
 * How long and how fast peers ask.
 *
 * @param seconds of a turn
 * @param outstanding requests on their way under full load, at most one for each connection
 * @param rate requests per second of a paced load
 */
public record Pace(double seconds, int outstanding, int rate) {
}
