// SPDX-License-Identifier: Apache-2.0
/** What runs in the virtual machine of a measured server: one server, and a probe that answers questions about it. */
package dev.pollux.micro.apps.server;
