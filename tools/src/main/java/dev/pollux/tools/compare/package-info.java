// SPDX-License-Identifier: Apache-2.0
/** {@code compare}: measures the JDK's selector beside ours, in virtual machines of their own. */
package dev.pollux.tools.compare;
