// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.insight;

import java.nio.channels.SelectionKey;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * A key that makes its selector spin: it was ready in many selections, and the application has not read or written, or
 * far too seldom.
 *
 * @param loop       the selector's number ({@link LoopStatistics#number})
 * @param channel    the key's channel with its addresses
 * @param attachment the class of the key's attachment, and what it leads to; null if it has none
 * @param unread     bytes that have arrived and were not read
 * @param rate       selections in a second
 * @param isUsed     whether the application has read or written now and then
 */
public record SpinReport(SpinKind kind, long loop, String mechanism, Thread thread, String channel, int interest,
        int ready, String attachment, long unread, long rate, boolean isUsed) {

    private static final Map<Integer, String> OPS = new TreeMap<>(Map.of(SelectionKey.OP_READ, "OP_READ",
            SelectionKey.OP_WRITE, "OP_WRITE", SelectionKey.OP_CONNECT, "OP_CONNECT",
            SelectionKey.OP_ACCEPT, "OP_ACCEPT"));

    /** {@return why it spins, in a sentence without a full stop} */
    public String cause() {
        return kind.cause() + (isUsed ? ", although the channel is used now and then" : "");
    }

    public SpinReport withAttachment(String described) {
        return new SpinReport(kind, loop, mechanism, thread, channel, interest, ready, described, unread, rate, isUsed);
    }

    /** {@return "OP_READ|OP_WRITE" and the like; "none"} */
    public static String ops(int ops) {
        String text = OPS.entrySet().stream().filter(op -> (ops & op.getKey()) != 0).map(Map.Entry::getValue)
                .collect(Collectors.joining("|"));
        return text.isEmpty() ? "none" : text;
    }

    @Override
    public String toString() {
        return "Selector " + loop + " (" + mechanism + ") of thread \"" + Printable.of(thread.getName()) + "\" spins, "
                + rate + " times a second: " + cause() + ". Channel " + Printable.of(channel) + ", interest "
                + ops(interest) + ", ready " + ops(ready) + ", attachment " + Printable.of(attachment) + ", " + unread
                + " bytes unread. " + kind.advice() + '.';
    }
}
