// SPDX-License-Identifier: Apache-2.0
/**
 * Loads the native library, and declares its methods: one for each C function and nothing else. They report a value
 * &ge; 0 or a negated error code; they do not throw.
 */
package dev.pollux.internal.jni;
