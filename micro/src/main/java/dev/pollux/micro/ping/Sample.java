// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.ping;

/** What one virtual machine measured. Percentiles and processor time of a round trip are in microseconds. */
record Sample(double p1, double p50, double p99, double p999, double perSecond, double processor) {
}
