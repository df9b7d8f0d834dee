// SPDX-License-Identifier: Apache-2.0
/** The ring of pipes, in Java beside {@code micro/ring.c}. */
package dev.pollux.micro.ring;
