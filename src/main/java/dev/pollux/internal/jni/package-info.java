// SPDX-License-Identifier: Apache-2.0
/**
 * Loads the native library, and declares its methods: one for each C function and nothing else. They report and never
 * decide: a result is a value &ge; 0 or a negated error code, and none throws. {@code NativeLibrary} must have loaded
 * the library before the first call. Threads and units are those of the C headers.
 */
package dev.pollux.internal.jni;
