// SPDX-License-Identifier: Apache-2.0
/**
 * A server whose handlers run where requests arrive: {@link dev.pollux.interrupt.InterruptServer} with an
 * {@link dev.pollux.interrupt.Interruptlet}, or a {@link dev.pollux.interrupt.ByteArrayInterruptlet} for byte arrays.
 * What a handler is given are interfaces, so that a test of it can have its own.
 */
package dev.pollux.interrupt;
