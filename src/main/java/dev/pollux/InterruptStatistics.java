// SPDX-License-Identifier: Apache-2.0
package dev.pollux;

/**
 * What an {@link InterruptServer} has counted since it was started, all its loops together. Each number is about what
 * it was when it was read; they are not read at one moment.
 *
 * @param accepted        connections that were accepted
 * @param adopted         connections that {@link InterruptServer#adopt} has given
 * @param open            connections that are open now
 * @param requests        requests that the handler has consumed
 * @param incomplete      calls that returned {@link Interruptlet#MORE}
 * @param deferred        requests whose reply was given later, or is still to be given
 * @param slowPath        connections that went to the {@link SlowPath}
 * @param batches         rounds of the loops: each carries out what the last one has ordered, and waits
 * @param systemCalls     made for these rounds, without those that read a clock
 * @param closedByPeer    connections that ended because the other side had no more to say
 * @param closedByHandler connections that {@link Isocket#close}, {@link Reply#sendAndClose} or a graceful close of the
 *                        server has ended
 * @param closedIdle      connections that did not complete a request for the idle timeout
 * @param closedTooLong   connections with an incomplete request longer than {@code maxRequest}
 * @param closedUnread    connections whose other side did not read what it was sent, beyond {@code maxPending}
 * @param closedFailed    connections that failed: reset by the other side, timed out
 * @param closedThrown    connections for which the handler has thrown, or broken its contract
 */
public record InterruptStatistics(long accepted, long adopted, int open, long requests, long incomplete, long deferred,
        long slowPath, long batches, long systemCalls, long closedByPeer, long closedByHandler, long closedIdle,
        long closedTooLong, long closedUnread, long closedFailed, long closedThrown) {

    static final InterruptStatistics NONE =
            new InterruptStatistics(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);

    InterruptStatistics plus(InterruptStatistics other) {
        return new InterruptStatistics(accepted + other.accepted, adopted + other.adopted, open + other.open,
                requests + other.requests, incomplete + other.incomplete, deferred + other.deferred,
                slowPath + other.slowPath, batches + other.batches, systemCalls + other.systemCalls,
                closedByPeer + other.closedByPeer, closedByHandler + other.closedByHandler,
                closedIdle + other.closedIdle, closedTooLong + other.closedTooLong,
                closedUnread + other.closedUnread, closedFailed + other.closedFailed,
                closedThrown + other.closedThrown);
    }
}
