// SPDX-License-Identifier: Apache-2.0
/** Servers at many connections: a thread for each, one selector, one Poller; and the client that loads them. */
package dev.pollux.micro.servers;
