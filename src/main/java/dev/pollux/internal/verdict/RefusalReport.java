// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.verdict;

/**
 * A channel that the mechanism has refused.
 *
 * @param reason the system call, the channel, its descriptor, and the error
 */
public record RefusalReport(String reason) implements Evidence {
    @Override
    public Verdict.Kind kind() {
        return Verdict.Kind.REFUSES;
    }

    @Override
    public String summary() {
        return reason;
    }

    @Override
    public String toString() {
        return reason;
    }
}
