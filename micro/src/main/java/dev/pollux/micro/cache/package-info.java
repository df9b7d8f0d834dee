// SPDX-License-Identifier: Apache-2.0
/** The application of the paper on Interruptlets: a cache of pages before an ordinary web server, which is Netty. */
package dev.pollux.micro.cache;
