// SPDX-License-Identifier: Apache-2.0
/**
 * How the thread of a loop waits and is woken, for the selector and the Poller alike:
 * {@link dev.pollux.internal.loop.WaitStrategy} waits, {@link dev.pollux.internal.loop.WakeupGate} tells whether a
 * wakeup needs a system call.
 */
package dev.pollux.internal.loop;
