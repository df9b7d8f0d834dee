// SPDX-License-Identifier: Apache-2.0
/**
 * What is wrong with a loop, decided in one place. {@code Verdicts} has the {@code Verdict} on each loop, and all that
 * prints one asks there: log, JFR, JMX, {@code top}. A {@code WatchedLoop} decides it from what the loop counts, when
 * the {@code WatchThread} or a reader looks. What the selecting thread finds of itself comes from its {@code
 * SelectorWatch}: keys that make it spin and wakeups for nothing. All limits are in {@code Limits}. A {@code Herald}
 * says what was found; it is set by start-up, and this package knows nothing of it.
 */
package dev.pollux.internal.verdict;
