// SPDX-License-Identifier: Apache-2.0
/** The benchmarks. Each checks the counts that its selections return, so that a selector can't win by doing nothing. */
package dev.pollux.micro.bench;
