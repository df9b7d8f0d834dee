// SPDX-License-Identifier: Apache-2.0
/**
 * What loops tell of themselves. A {@link dev.pollux.internal.insight.Loop} has a {@link
 * dev.pollux.internal.insight.LoopStatistics}, which counts what {@link dev.pollux.internal.insight.Counter} has rows
 * for; {@code toString}, JMX, JFR and {@code top} read them. Warnings go out through {@link
 * dev.pollux.internal.insight.WarningLog}. Classes that need {@code jdk.jfr} or {@code java.management} are reached
 * through {@code Loops} and {@code Jmx} alone, since a runtime may lack these modules.
 */
package dev.pollux.internal.insight;
