// SPDX-License-Identifier: Apache-2.0
/** Unmodified servers on the JDK, on Pollux's selectors, and with the JDK's socket calls replaced as well. */
package dev.pollux.micro.calls;
