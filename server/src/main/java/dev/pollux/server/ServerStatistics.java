// SPDX-License-Identifier: Apache-2.0
package dev.pollux.server;

import dev.pollux.internal.count.Counter;
import java.util.StringJoiner;

/**
 * What a {@link StreamServer} has counted since it was started, all its loops together. Each number is about what
 * it was when it was read; they are not read at one moment. Later versions may count more. Immutable.
 */
public final class ServerStatistics {
    private final long[] counts;
    private final long open;
    private final long loops;
    private final long waiting;

    /** By the number of each {@link Counter}; the array is not copied. */
    ServerStatistics(long[] counts, long open, long loops, long waiting) {
        this.counts = counts;
        this.open = open;
        this.loops = loops;
        this.waiting = waiting;
    }

    private long count(Counter what) {
        return counts[what.ordinal()];
    }

    /** {@return connections that were accepted} */
    public long accepted() {
        return count(Counter.ACCEPTED);
    }

    /** {@return connections that {@link StreamServer#adopt} has given} */
    public long adopted() {
        return count(Counter.ADOPTED);
    }

    /** {@return connections of {@link StreamServer#connect}, those that have failed included} */
    public long connected() {
        return count(Counter.CONNECTED);
    }

    /** {@return connections that are open now} */
    public long open() {
        return open;
    }

    /** {@return bytes of memory for what waits now, as {@link StreamServerBuilder#maxWaiting} limits them} */
    public long waiting() {
        return waiting;
    }

    /** {@return requests that the handler has consumed} */
    public long requests() {
        return count(Counter.REQUESTS);
    }

    /** {@return calls of the handler that consumed nothing, and await more} */
    public long incomplete() {
        return count(Counter.INCOMPLETE);
    }

    /** {@return requests whose reply was given later, or is still to be given} */
    public long deferred() {
        return count(Counter.DEFERRED);
    }

    /** {@return sends of connections that were refused, since too much was pending} */
    public long refusedSends() {
        return count(Counter.REFUSED_SENDS);
    }

    /** {@return bytes that were received} */
    public long receivedBytes() {
        return count(Counter.RECEIVED_BYTES);
    }

    /** {@return bytes that sockets have taken} With TLS both are ciphertext, handshakes included. */
    public long sentBytes() {
        return count(Counter.SENT_BYTES);
    }

    /** {@return connections that went to the {@link SlowPath}} */
    public long slowPath() {
        return count(Counter.SLOW_PATH);
    }

    /** {@return rounds of the loops: each carries out what the last one has ordered, and waits} */
    public long rounds() {
        return count(Counter.SELECTIONS);
    }

    /** {@return system calls that were made for these rounds, without those that read a clock} */
    public long systemCalls() {
        return count(Counter.SYSTEM_CALLS);
    }

    /** {@return connections that ended because the other side had no more to say} */
    public long closedByPeer() {
        return count(Counter.CLOSED_BY_PEER);
    }

    /**
     * {@return connections that the handler, or the holder of a {@link Connection}, has closed or aborted, or a
     * graceful close of the server has ended}
     */
    public long closedByHandler() {
        return count(Counter.CLOSED_BY_HANDLER);
    }

    /** {@return connections that have begun no request in time: {@link Phase#FIRST_BYTE}, {@link Phase#IDLE}} */
    public long closedIdle() {
        return count(Counter.CLOSED_IDLE);
    }

    /** {@return connections with an incomplete request longer than {@code maxRequest}} */
    public long closedTooLong() {
        return count(Counter.CLOSED_TOO_LONG);
    }

    /** {@return connections that did not complete a request in the time of {@link Phase#REQUEST}} */
    public long closedTooSlow() {
        return count(Counter.CLOSED_TOO_SLOW);
    }

    /** {@return connections whose other side has not taken what it was sent in the time of {@link Phase#WRITING}} */
    public long closedUnread() {
        return count(Counter.CLOSED_UNREAD);
    }

    /** {@return connections that failed: reset by the other side, timed out} */
    public long closedFailed() {
        return count(Counter.CLOSED_FAILED);
    }

    /** {@return connections for which the handler has thrown, or broken its contract} */
    public long closedThrown() {
        return count(Counter.CLOSED_THROWN);
    }

    /**
     * {@return loops that run} Fewer than {@link StreamServerBuilder#loops} asked for if one has failed: {@link
     * ServerErrorHandler.Place#LOOP} tells why. The others have its new connections.
     */
    public long loops() {
        return loops;
    }

    /** {@return all numbers with their names} */
    @Override
    public String toString() {
        StringJoiner all = new StringJoiner(", ", "ServerStatistics[", "]");
        all.add("loops=" + loops).add("open=" + open).add("waiting=" + waiting).add("rounds=" + rounds());
        Counter.ofServer().forEach(each -> all.add(each.key() + '=' + count(each)));
        return all.toString();
    }
}
