// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.calls;

/**
 * How many system calls a server made in one turn under strace. That slows it down, so more requests pile up.
 *
 * @param perRequest of all threads
 */
record Counted(String server, String side, int connections, double perRequest) {
}
