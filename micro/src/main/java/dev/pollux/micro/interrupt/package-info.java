// SPDX-License-Identifier: Apache-2.0
/** Interruptlets against other ways of serving: the servers, the contest among them, its figures. */
package dev.pollux.micro.interrupt;
