// SPDX-License-Identifier: Apache-2.0
/**
 * All that Pollux needs of the JDK's internals: members that are found by reflection, channels, descriptors, virtual
 * threads. A new version of the JDK is supported here, and in {@code jni/jdk.c}. Besides this package only {@code
 * internal.selector} and {@code internal.verdict} touch {@code sun.nio.ch}.
 */
package dev.pollux.internal.jdk;
