// SPDX-License-Identifier: Apache-2.0
/**
 * What loops tell of themselves: {@code LoopStatistics} has a number for each {@code Counter}; {@code toString}, JMX,
 * JFR and {@code top} show them. Classes that need {@code jdk.jfr} or {@code java.management} are reached through
 * {@code Loops} and {@code Jmx} alone, since a runtime may lack these modules.
 */
package dev.pollux.internal.insight;
