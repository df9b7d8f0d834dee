// SPDX-License-Identifier: Apache-2.0
/** Many ways to serve connections: threads, selectors, Pollers, Netty, Interruptlets, C; and the contest among them. */
package dev.pollux.micro.servers;
