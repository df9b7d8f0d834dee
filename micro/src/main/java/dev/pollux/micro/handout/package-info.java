// SPDX-License-Identifier: Apache-2.0
/** Hand-out: how fast and how fairly a Poller gives ready members to several threads. */
package dev.pollux.micro.handout;
