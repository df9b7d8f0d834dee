// SPDX-License-Identifier: Apache-2.0

/** The page's Redis against the same code on Netty, and redis-server. */
package dev.pollux.micro.redis;
