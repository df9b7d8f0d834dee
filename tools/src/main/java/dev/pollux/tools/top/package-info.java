// SPDX-License-Identifier: Apache-2.0
/** {@code top}: asks the agent in another virtual machine what its loops do, and shows it. */
package dev.pollux.tools.top;
