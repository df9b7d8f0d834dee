// SPDX-License-Identifier: Apache-2.0
/**
 * Finds what must be there before a selector can be opened: the platform, the native library, access to the JDK's
 * internals. What is missing becomes one message that says what to do.
 */
package dev.pollux.internal.startup;
