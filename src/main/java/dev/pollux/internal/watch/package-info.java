// SPDX-License-Identifier: Apache-2.0
/**
 * Looks for what is wrong with a selector, and says it: keys that make it spin, wakeups for nothing, a thread that has
 * ended. {@link dev.pollux.internal.watch.SelectorWatch} has all that looks.
 */
package dev.pollux.internal.watch;
