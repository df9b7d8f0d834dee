// SPDX-License-Identifier: Apache-2.0
package dev.pollux.soak;

import java.util.concurrent.atomic.LongAdder;

/** What a scenario counts. Any thread may add. */
final class Tally {
    /** Ready keys or members that were handled. */
    final LongAdder events = new LongAdder();

    /** Requests that came back whole, or turns of a game of ping-pong. */
    final LongAdder exchanges = new LongAdder();

    /** Bytes that were sent, and bytes that came back and were the right ones. */
    final LongAdder sent = new LongAdder();
    final LongAdder returned = new LongAdder();

    final LongAdder wakeups = new LongAdder();
    final LongAdder interrupts = new LongAdder();

    /** Changes of interest, registrations and cancellations. */
    final LongAdder changes = new LongAdder();

    /** Channels, selectors and Pollers that were opened. */
    final LongAdder opened = new LongAdder();

    /** Timeouts that were waited out. */
    final LongAdder timeouts = new LongAdder();

    /** Planned exceptions, cancelled keys and closed channels that were met. */
    final LongAdder expected = new LongAdder();

    /** How often the limit of descriptors was met. */
    final LongAdder refused = new LongAdder();

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        add(text, events, "events");
        add(text, exchanges, "exchanges");
        add(text, sent, "bytes sent");
        add(text, returned, "returned");
        add(text, wakeups, "wakeups");
        add(text, interrupts, "interrupts");
        add(text, changes, "changes");
        add(text, opened, "opened");
        add(text, timeouts, "timeouts");
        add(text, expected, "expected errors");
        add(text, refused, "EMFILE");
        return text.toString();
    }

    private static void add(StringBuilder text, LongAdder count, String what) {
        if (count.sum() != 0) {
            text.append(text.length() == 0 ? "" : ", ").append(count.sum()).append(' ').append(what);
        }
    }
}
