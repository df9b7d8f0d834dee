// SPDX-License-Identifier: Apache-2.0
/** {@code check}: tries out what selectors promise, on each mechanism that is here. */
package dev.pollux.tools.check;
