// SPDX-License-Identifier: Apache-2.0
/**
 * What becomes of registrations that go wrong, for the selector and the Poller alike: those that have outlived what
 * they were for ({@link dev.pollux.internal.registration.Registrar}), and those that the mechanism refuses ({@link
 * dev.pollux.internal.registration.PollFallback}).
 */
package dev.pollux.internal.registration;
