// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.count;

import java.util.List;
import java.util.Locale;

/**
 * What is counted of a {@link Loop}: one row each, which all that shows counters reads. {@link LoopStatistics#add}
 * counts. Those of a batch are counted in C: their rows are in the order of {@code plx_batch_counts}. Those behind them
 * are a StreamServer's. A counter whose name ends in NANOS or BYTES is a time or an amount. Monitoring shows each
 * description alone, so it refers to no other row.
 */
public enum Counter {
    SELECTIONS("selections", "Selections that have returned; awaits of a Poller, rounds of a StreamServer"),
    READY("ready keys", "Keys that selections have found ready; members, arrivals"),
    BLOCKED_WAITS("blocked waits", "Waits that blocked or parked a thread, instead of polling"),
    BLOCKED_NANOS("blocked nanoseconds", "Nanoseconds spent in waits that blocked, with the one in progress"),
    WAKEUPS("wakeups", "Wakeups that a selection has taken"),
    WAKEUP_CALLS("wakeup calls", "Wakeups that needed a system call, because a thread was blocked"),
    CHANGES("changes", "Registrations, changes and removals that the mechanism was told"),
    REFUSALS("refusals", "Registrations and changes that the mechanism has refused, each time it was asked"),
    ONE_SHOT_ARMINGS("one-shot armings", "Keys that were armed for one event, each time"),
    LAZY_DISARMS("lazy disarms", "Times that interest was taken away and stayed armed"),
    OUT_OF_BAND_BYTES("out-of-band bytes discarded", "Bytes of out-of-band data that were read and dropped"),
    SPINS("spins", "Keys that were found to make the loop spin"),
    WAKEUP_STORMS("wakeup storms", "Times that the loop was found to be woken again and again for nothing"),
    BLOCKAGES("blockages", "Times that the loop was found blocked"),
    LOST_THREADS("lost threads", "Times that the loop was found to have no thread any more"),

    DEFERRED_WRITES("deferred writes", "Writes that were deferred until the next wait"),
    DEFERRED_BYTES("deferred bytes", "Bytes of deferred writes"),
    BATCHES("batches", "Batches of deferred writes that were sent"),
    BATCHES_ON_WAIT("batches on wait", "Batches sent because the thread was about to wait"),
    BATCHES_ON_CALL("batches on call", "Batches sent because another call was made on one of their channels"),
    BATCHES_ON_READ("batches on read", "Batches sent because the thread read again although there was nothing"),
    BATCHES_ON_AGE("batches on age", "Batches sent because their writes had been deferred for long enough"),
    BATCHES_ON_FULL("batches on full", "Batches sent because there was no room for more writes"),
    DEFERRED_RESTS("deferred rests", "Sends of a batch that their socket had no room for"),
    LATE_ERRORS("late errors", "Errors of deferred writes, which the next operation of the channel throws"),
    BATCH_PAUSES("batch pauses", "Times that the batch switched itself off since it did not pay"),

    ACCEPTED("accepted connections", "Connections that a StreamServer has accepted"),
    ADOPTED("adopted connections", "Connections that a StreamServer was given"),
    CONNECTED("made connections", "Connections that a StreamServer has begun to make"),
    REQUESTS("requests", "Requests that the handler of a StreamServer has consumed"),
    INCOMPLETE("incomplete requests", "Calls of a StreamServer's handler that consumed nothing, and await more"),
    DEFERRED("deferred replies", "Requests to a StreamServer whose reply was given later, or is still to be given"),
    REFUSED_SENDS("refused sends", "Sends that a StreamServer has refused, since too much was pending"),
    RECEIVED_BYTES("received bytes", "Bytes that a StreamServer has received"),
    SENT_BYTES("sent bytes", "Bytes of a StreamServer that sockets have taken"),
    SYSTEM_CALLS("system calls", "System calls that a StreamServer's rounds have made"),
    SLOW_PATH("connections of the slow path", "Connections that a StreamServer has handed over to its slow path"),
    CLOSED_BY_PEER("closed by the peer", "Connections that ended because the other side had no more to say"),
    CLOSED_BY_HANDLER("closed by the handler", "Connections that the handler, or a close of the server, has ended"),
    CLOSED_IDLE("closed as idle", "Connections whose other side has begun no request in time"),
    CLOSED_TOO_LONG("closed as too long", "Connections whose incomplete request was too long"),
    CLOSED_TOO_SLOW("closed as too slow", "Connections whose request was not complete in time"),
    CLOSED_UNREAD("closed as unread", "Connections whose other side did not read in time"),
    CLOSED_FAILED("closed as failed", "Connections that have failed: reset by the other side, timed out"),
    CLOSED_THROWN("closed by an exception", "Connections for which the handler has thrown");

    /** How many every loop counts for itself, before those of a batch and of a StreamServer. */
    static final int OF_LOOP = DEFERRED_WRITES.ordinal();

    /** Those before it are of every loop, those from it on of a StreamServer's alone. */
    public static final int OF_SERVER = ACCEPTED.ordinal();

    /** How many a batch counts. */
    public static final int OF_BATCH = OF_SERVER - OF_LOOP;

    public static final int ALL = values().length;

    private final String words;
    private final String description;

    Counter(String words, String description) {
        this.words = words;
        this.description = description;
    }

    /** {@return those that a StreamServer alone has} */
    public static List<Counter> ofServer() {
        return List.of(values()).subList(OF_SERVER, ALL);
    }

    /** {@return its number among those that a loop has; 0 if it has none of these} */
    public long in(long[] counts) {
        return ordinal() < counts.length ? counts[ordinal()] : 0;
    }

    /** {@return its name in JMX, JFR and JSON: {@code blockedWaits}} */
    public String key() {
        StringBuilder key = new StringBuilder();
        for (String word : name().split("_")) {
            key.append(word.charAt(0)).append(word.substring(1).toLowerCase(Locale.ROOT));
        }
        return Character.toLowerCase(key.charAt(0)) + key.substring(1);
    }

    /** {@return what is counted, in the plural, as a number stands before it} */
    public String words() {
        return words;
    }

    /** {@return a sentence without its full stop} */
    public String description() {
        return description;
    }
}
