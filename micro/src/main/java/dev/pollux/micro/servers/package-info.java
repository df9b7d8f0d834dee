// SPDX-License-Identifier: Apache-2.0
/** Servers at many connections: one thread for each connection, one selector, one poller, and the client that loads them. */
package dev.pollux.micro.servers;
