// SPDX-License-Identifier: Apache-2.0
/**
 * One selector for every mechanism. {@code PolluxSelector} extends the JDK's {@code SelectorImpl} and leads through a
 * selection: {@code KeyRegistrar} tells the mechanism what keys ask for, {@code EventDelivery} hands out what came,
 * {@code KeyRemoval} takes cancelled keys out, {@code SelectorWatch} finds keys and wakeups that keep it busy for
 * nothing. Guarded by the selector's monitor.
 */
package dev.pollux.internal.selector;
