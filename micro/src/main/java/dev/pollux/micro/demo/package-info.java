// SPDX-License-Identifier: Apache-2.0
/** What {@code demo.sh} runs: unmodified HTTP servers and clients, on the JDK's selectors and on Pollux. */
package dev.pollux.micro.demo;
