// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.ping;

/** What one round found out about a way, in one mode. */
record Result(String way, Mode mode, int round, Sample sample) {
}
