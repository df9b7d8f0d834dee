// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.run;

import java.util.Map;

/**
 * What one fork measured.
 *
 * @param nanos figure, such as {@code wall}, {@code cpu} or {@code p99}, to nanoseconds per operation
 * @param bytes bytes allocated per operation by the measuring thread, null if unknown
 * @param allBytes bytes allocated per operation by the whole virtual machine, JMH's own work included
 */
record Sample(Map<String, Double> nanos, Double bytes, Double allBytes) {
}
