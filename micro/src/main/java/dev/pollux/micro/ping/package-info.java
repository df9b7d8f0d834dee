// SPDX-License-Identifier: Apache-2.0
/** Ping: round trips over one connection, by each way of waiting. */
package dev.pollux.micro.ping;
