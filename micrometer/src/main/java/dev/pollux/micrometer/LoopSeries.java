// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micrometer;

import java.util.HashMap;
import java.util.Map;
import javax.management.openmbean.CompositeData;

/**
 * The values of one slot. If another loop has it now, counters go on where they were: for the registries that report
 * differences a counter must not decrease. What a loop counts after it was read last is lost.
 *
 * <p>Safe for use by many threads.
 */
final class LoopSeries {
    private final LoopsReader reader;
    private final LoopsReader.Place place;

    /** The row that was read last; null before the first. Guarded by this, as all below. */
    private CompositeData row;

    /** What earlier loops in this slot have counted. */
    private final Map<String, Long> before = new HashMap<>();

    LoopSeries(LoopsReader reader, LoopsReader.Place place) {
        this.reader = reader;
        this.place = place;
    }

    /** Reads the row, if there is one: whether there is. */
    synchronized boolean note() {
        CompositeData now = reader.read().rows().get(place);
        if (now != null && row != null && !now.get("loop").equals(row.get("loop"))) {
            for (String column : row.getCompositeType().keySet()) {
                if (row.get(column) instanceof Long count) {
                    before.merge(column, count, Long::sum);
                }
            }
        }
        row = now == null ? row : now;
        return now != null;
    }

    synchronized double counter(String column) {
        note();
        return row == null ? 0 : before.getOrDefault(column, 0L) + (Long) row.get(column);
    }

    /** A flag is 0 or 1; without a loop there is no number. */
    synchronized double gauge(String column) {
        if (!note()) {
            return Double.NaN;
        }
        Object value = row.get(column);
        return value instanceof Boolean flag ? flag ? 1 : 0 : ((Number) value).doubleValue();
    }
}
