// SPDX-License-Identifier: Apache-2.0
/** What the programs share: options, progress, child processes, tables and files of figures. */
package dev.pollux.micro.programs.common;
