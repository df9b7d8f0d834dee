// SPDX-License-Identifier: Apache-2.0
/**
 * Prints what loops count and what the verdict on them is: the log, JFR, JMX. It decides nothing. {@code Insight} is
 * the way in, which start-up puts in place. Classes that need {@code jdk.jfr}, {@code java.management} or {@code
 * java.logging} are reached through {@code Insight}, {@code Jmx} and {@code Preparation} alone, since a
 * runtime may lack these modules.
 */
package dev.pollux.internal.tell;
