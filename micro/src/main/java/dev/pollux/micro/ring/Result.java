// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.ring;

/** What one round found out about a way with so many pipes. */
record Result(String way, int pipes, int round, Sample sample) {
}
