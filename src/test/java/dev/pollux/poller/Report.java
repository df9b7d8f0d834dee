// SPDX-License-Identifier: Apache-2.0
package dev.pollux.poller;

/** What an await said of one entry. */
record Report(int descriptor, int events, Object attachment) {
}
