// SPDX-License-Identifier: Apache-2.0
/** One contest for all servers: they run in processes of their own, are loaded in turns, and compared in rounds. */
package dev.pollux.micro.contest;

