// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.handout;

/** What one round found out about a way, with so many threads. */
record Result(Way way, Load load, int threads, int round, Sample sample) {
}
