// SPDX-License-Identifier: Apache-2.0
/**
 * What is behind {@code InterruptServer}: its loops ({@code ServerLoops}), each of which ({@code InterruptLoop}) is a
 * thread with an arena. Everything that is decided about requests and connections is decided here.
 */
package dev.pollux.internal.interrupt;
