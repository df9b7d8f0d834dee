// SPDX-License-Identifier: Apache-2.0
/**
 * The port to an arena of {@code arena.h}: many sockets served in turns, through memory that is shared with C. Behind
 * {@code StreamServer}. It reports and never decides.
 */
package dev.pollux.internal.arena;
