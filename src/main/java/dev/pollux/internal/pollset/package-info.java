// SPDX-License-Identifier: Apache-2.0
/**
 * The port to a mechanism, and ways of waiting in it. {@link dev.pollux.internal.pollset.PollSet} turns the error codes
 * of C into exceptions. {@link dev.pollux.internal.pollset.WaitStrategy}, {@link
 * dev.pollux.internal.pollset.WakeupGate} and {@link dev.pollux.internal.pollset.Registrar} serve the selector and the
 * Poller alike.
 */
package dev.pollux.internal.pollset;
