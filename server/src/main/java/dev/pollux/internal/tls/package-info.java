// SPDX-License-Identifier: Apache-2.0
/**
 * TLS beneath {@code StreamServer}, by an {@code SSLEngine} for each connection.
 *
 * <ul>
 * <li>{@code TlsStream} turns ciphertext into plaintext and back. It has no thread and transfers nothing.
 * <li>{@code TlsChannel} is a blocking {@code SocketChannel} over such a stream, for the slow path.
 * <li>{@code BufferPool} has the memory of both, so that an idle connection has none; {@code BufferLimit} counts what
 *     several pools have given out.
 * </ul>
 */
package dev.pollux.internal.tls;
