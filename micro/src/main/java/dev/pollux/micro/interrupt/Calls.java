// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.interrupt;

/** System calls of a server, for each request. */
record Calls(String way, int connections, String mode, double perRequest) {
}
