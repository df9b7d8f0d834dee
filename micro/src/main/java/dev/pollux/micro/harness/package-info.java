// SPDX-License-Identifier: Apache-2.0
/** What benchmarks, programs and demo share: command lines, processes, what is measured of them, and statistics. */
package dev.pollux.micro.harness;
