// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.verdict;

import dev.pollux.internal.count.Printable;
import java.nio.channels.SelectionKey;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * A key that makes its selector spin: it was ready in many selections, and the application has not read or written, or
 * far too seldom.
 *
 * @param why        why it spins
 * @param loop       the selector's number
 * @param thread     the name of the thread that selects
 * @param channel    the key's channel with its addresses
 * @param attachment the class of the key's attachment, and what it leads to; null if it has none
 * @param unread     bytes that have arrived and were not read
 * @param rate       selections in a second
 * @param isUsed     whether the application has read or written now and then
 * @param stack      what the thread does with the key; null if it was not looked
 * @param before     what the log says before it
 * @param after      what the log says behind it
 */
public record SpinReport(SpinKind why, long loop, String mechanism, String thread, String channel, int interest,
        int ready, String attachment, long unread, long rate, boolean isUsed, ShownStack stack, String before,
        String after) implements Evidence {

    private static final Map<Integer, String> OPS = new TreeMap<>(Map.of(SelectionKey.OP_READ, "OP_READ",
            SelectionKey.OP_WRITE, "OP_WRITE", SelectionKey.OP_CONNECT, "OP_CONNECT",
            SelectionKey.OP_ACCEPT, "OP_ACCEPT"));

    /** {@return why it spins, in a sentence without a full stop} */
    public String cause() {
        return why.cause() + (isUsed ? ", although the channel is used now and then" : "");
    }

    /** {@return the same with what the {@link WatchThread} has found out} */
    SpinReport with(String channelText, String described, ShownStack found) {
        return new SpinReport(why, loop, mechanism, thread, channelText, interest, ready, described, unread, rate,
                isUsed, found, before, after);
    }

    @Override
    public Verdict.Kind kind() {
        return Verdict.Kind.SPINS;
    }

    @Override
    public String summary() {
        return why.cause() + ": " + Printable.of(channel);
    }

    /** {@return "OP_READ|OP_WRITE" and the like; "none"} */
    public static String ops(int ops) {
        String text = OPS.entrySet().stream().filter(op -> (ops & op.getKey()) != 0).map(Map.Entry::getValue)
                .collect(Collectors.joining("|"));
        return text.isEmpty() ? "none" : text;
    }

    @Override
    public String toString() {
        return before + "Selector " + loop + " (" + mechanism + ") of thread \"" + Printable.of(thread) + "\" spins, "
                + rate + " times a second: " + cause() + ". Channel " + Printable.of(channel) + ", interest "
                + ops(interest) + ", ready " + ops(ready) + ", attachment " + Printable.of(attachment) + ", " + unread
                + " bytes unread. " + why.advice() + '.' + after;
    }
}
