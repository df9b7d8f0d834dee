// SPDX-License-Identifier: Apache-2.0
package dev.pollux.server;

import dev.pollux.internal.server.LoopCounters;
import java.util.StringJoiner;

/**
 * What a {@link StreamServer} has counted since it was started, all its loops together. Each number is about what
 * it was when it was read; they are not read at one moment. Later versions may count more. Immutable.
 */
public final class ServerStatistics {
    /** In the order of {@link LoopCounters}. */
    private static final String[] NAMES = {"accepted", "adopted", "open", "requests", "incomplete", "deferred",
        "slowPath", "batches", "systemCalls", "closedByPeer", "closedByHandler", "closedIdle", "closedTooLong",
        "closedUnread", "closedFailed", "closedThrown", "connected", "waiting"};

    private final long[] numbers;

    /** Of these numbers, in their order; the array is not copied. */
    ServerStatistics(long[] numbers) {
        this.numbers = numbers;
    }

    /** {@return connections that were accepted} */
    public long accepted() {
        return numbers[LoopCounters.ACCEPTED];
    }

    /** {@return connections that {@link StreamServer#adopt} has given} */
    public long adopted() {
        return numbers[LoopCounters.ADOPTED];
    }

    /** {@return connections of {@link StreamServer#connect}, those that have failed included} */
    public long connected() {
        return numbers[LoopCounters.CONNECTED];
    }

    /** {@return connections that are open now} */
    public long open() {
        return numbers[LoopCounters.OPEN];
    }

    /** {@return bytes of memory for what waits now, as {@link StreamServerBuilder#maxWaiting} limits them} */
    public long waiting() {
        return numbers[LoopCounters.WAITING];
    }

    /** {@return requests that the handler has consumed} */
    public long requests() {
        return numbers[LoopCounters.REQUESTS];
    }

    /** {@return calls of the handler that consumed nothing, and await more} */
    public long incomplete() {
        return numbers[LoopCounters.INCOMPLETE];
    }

    /** {@return requests whose reply was given later, or is still to be given} */
    public long deferred() {
        return numbers[LoopCounters.DEFERRED];
    }

    /** {@return connections that went to the {@link SlowPath}} */
    public long slowPath() {
        return numbers[LoopCounters.SLOW_PATH];
    }

    /** {@return rounds of the loops: each carries out what the last one has ordered, and waits} */
    public long batches() {
        return numbers[LoopCounters.BATCHES];
    }

    /** {@return system calls that were made for these rounds, without those that read a clock} */
    public long systemCalls() {
        return numbers[LoopCounters.SYSTEM_CALLS];
    }

    /** {@return connections that ended because the other side had no more to say} */
    public long closedByPeer() {
        return numbers[LoopCounters.CLOSED_BY_PEER];
    }

    /**
     * {@return connections that {@link Exchange#close}, {@link Reply#sendAndClose} or a graceful close of the server
     * has ended}
     */
    public long closedByHandler() {
        return numbers[LoopCounters.CLOSED_BY_HANDLER];
    }

    /** {@return connections that did not complete a request for the idle timeout} */
    public long closedIdle() {
        return numbers[LoopCounters.CLOSED_IDLE];
    }

    /** {@return connections with an incomplete request longer than {@code maxRequest}} */
    public long closedTooLong() {
        return numbers[LoopCounters.CLOSED_TOO_LONG];
    }

    /** {@return connections whose other side read nothing of what it was sent for the idle timeout} */
    public long closedUnread() {
        return numbers[LoopCounters.CLOSED_UNREAD];
    }

    /** {@return connections that failed: reset by the other side, timed out} */
    public long closedFailed() {
        return numbers[LoopCounters.CLOSED_FAILED];
    }

    /** {@return connections for which the handler has thrown, or broken its contract} */
    public long closedThrown() {
        return numbers[LoopCounters.CLOSED_THROWN];
    }

    /** {@return all numbers with their names} */
    @Override
    public String toString() {
        StringJoiner all = new StringJoiner(", ", "ServerStatistics[", "]");
        for (int i = 0; i < NAMES.length; i++) {
            all.add(NAMES[i] + '=' + numbers[i]);
        }
        return all.toString();
    }
}
