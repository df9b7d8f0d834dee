// SPDX-License-Identifier: Apache-2.0
/**
 * The port to {@code batch.h}: the writes of an event loop in one system call. docs/batch.md tells what that
 * means for each operation of a channel; the rules are in C.
 */
package dev.pollux.internal.batch;
