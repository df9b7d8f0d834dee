// SPDX-License-Identifier: Apache-2.0
/**
 * The port to a mechanism: {@link dev.pollux.internal.pollset.PollSet} turns the error codes of C into exceptions, and
 * {@link dev.pollux.internal.pollset.EventBuffer} has what was reported. It reports and never decides.
 */
package dev.pollux.internal.pollset;
