// SPDX-License-Identifier: Apache-2.0
/**
 * A server whose handlers run where requests arrive: {@link dev.pollux.server.StreamServer} with a
 * {@link dev.pollux.server.ConnectionHandler}, or a {@link dev.pollux.server.ByteArrayHandler} for byte arrays.
 * What a handler is given are interfaces, so that a test of it can have its own.
 */
package dev.pollux.server;
