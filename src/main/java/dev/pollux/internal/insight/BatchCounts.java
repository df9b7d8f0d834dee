// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.insight;

/**
 * What a loop's batch has done since it was opened: see docs/batch.md. The reasons for which it was sent add up to
 * {@link #batches}. Immutable.
 *
 * @param deferredWrites     writes that joined a batch
 * @param batches            calls that have sent them
 * @param batchesOnWait      of these, because the loop's thread waited
 * @param batchesOnCall      because of another call on one of its channels
 * @param batchesOnRead      because the thread read again although there was nothing
 * @param batchesOnAge       because they had been deferred for long enough
 * @param batchesOnFull      because there was no room for more
 * @param deferredRests      sends that their socket had no room for
 * @param lateErrors         errors of sends, which the channel's next operation throws
 * @param batchPauses        times that the batch switched itself off since it did not pay
 * @param receivedAhead      receives from a channel that nobody had read yet
 * @param receivedAheadBytes bytes that these brought
 * @param receiveBatches     calls that made them
 * @param unreadAhead        of these receives, those that were not read before the next wait
 * @param isAtWork           whether writes are deferred now
 */
public record BatchCounts(long deferredWrites, long deferredBytes, long batches, long batchesOnWait, long batchesOnCall,
        long batchesOnRead, long batchesOnAge, long batchesOnFull, long deferredRests, long lateErrors,
        long batchPauses, long receivedAhead, long receivedAheadBytes, long receiveBatches, long unreadAhead,
        boolean isAtWork) {

    /** Those of a loop that has no batch. */
    static final BatchCounts NONE = new BatchCounts(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, false);

    /** Where they come from. Any thread, so numbers may be a moment old. */
    public interface Source {
        /** {@return the counts so far} */
        BatchCounts counts();
    }

    @Override
    public String toString() {
        return deferredWrites + " writes of " + deferredBytes + " bytes deferred and sent in " + batches
                + " calls, switched off " + batchPauses + " times; " + receivedAheadBytes + " bytes received from "
                + receivedAhead + " sockets in " + receiveBatches + " calls, " + unreadAhead + " left unread; "
                + (isAtWork ? "at work" : "paused");
    }
}
