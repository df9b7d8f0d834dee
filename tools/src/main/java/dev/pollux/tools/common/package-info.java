// SPDX-License-Identifier: Apache-2.0
/** What several commands need: channels to try out, programs to start, tables and JSON to print. */
package dev.pollux.tools.common;
