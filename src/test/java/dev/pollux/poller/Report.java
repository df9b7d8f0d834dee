// SPDX-License-Identifier: Apache-2.0
package dev.pollux.poller;

import dev.pollux.Poller.Member;

/** What an await said of one member. */
record Report(Member member, int events) {

    int descriptor() {
        return member.descriptor();
    }

    Object attachment() {
        return member.attachment();
    }
}
