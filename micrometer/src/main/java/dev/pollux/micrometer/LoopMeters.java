// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micrometer;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.TimeGauge;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import javax.management.openmbean.CompositeData;
import javax.management.openmbean.CompositeType;
import javax.management.openmbean.OpenType;
import javax.management.openmbean.SimpleType;

/**
 * The meters of all loops in one registry. Each column of the MBean's table that is a number or a flag is a meter, so
 * a counter that comes with a later version of Pollux is one, too.
 *
 * <p>Safe for use by many threads.
 */
final class LoopMeters {
    /** What goes up and down; the other numbers are counters. */
    private static final Set<String> GAUGES = Set.of("keys", "refusedKeys", "utilization", "blocked", "stalled",
            "lostThread", "batching", "busySelections", "verdictNanos", "waitingNanos", "busyNanos",
            "longestBusyNanos");

    /** What tells loops apart; and a flag that {@code waitingNanos} tells too, which is a meter of the same name. */
    private static final Set<String> LEFT_OUT = Set.of("loop", "slot", "threadId", "waiting");

    private static final String NANOS = "Nanos";
    private static final String STRETCHES = "busyStretches";

    /** The tag {@code up_to} by the end of the column's name; {@code le} belongs to histograms alone. */
    private static final Map<String, String> BOUNDS = Map.of("UpTo1ms", "0.001", "UpTo10ms", "0.01", "UpTo100ms", "0.1",
            "UpTo1s", "1.0", "UpTo10s", "10.0", "", "+Inf");

    private final MeterRegistry registry;
    private final LoopsReader reader;
    private final Tags tags;

    /** Guarded by this. */
    private final Map<LoopsReader.Place, Series> series = new HashMap<>();

    /** Guarded by this. */
    private boolean isClosed;

    private record Series(LoopSeries values, List<Meter> meters) {
    }

    LoopMeters(MeterRegistry registry, LoopsReader reader, Tags tags) {
        this.registry = registry;
        this.reader = reader;
        this.tags = tags;
    }

    /** Adds the meters of loops that are new, and takes those away whose loop was closed. */
    synchronized void update() {
        if (isClosed) {
            return;
        }
        Map<LoopsReader.Place, CompositeData> rows = reader.read().rows();
        for (Iterator<Map.Entry<LoopsReader.Place, Series>> all = series.entrySet().iterator(); all.hasNext();) {
            Map.Entry<LoopsReader.Place, Series> each = all.next();
            if (!rows.containsKey(each.getKey())) {
                each.getValue().meters.forEach(registry::remove);
                all.remove();
            }
        }
        rows.forEach((place, row) -> series.computeIfAbsent(place, key -> register(key, row.getCompositeType())));
        series.forEach((place, each) -> each.values.note());
    }

    synchronized void close() {
        isClosed = true;
        series.values().forEach(each -> each.meters.forEach(registry::remove));
        series.clear();
    }

    private Series register(LoopsReader.Place place, CompositeType columns) {
        LoopSeries values = new LoopSeries(reader, place);
        Tags own = tags.and("kind", place.kind(), "mechanism", place.mechanism(), "slot", Long.toString(place.slot()));
        List<Meter> meters = new ArrayList<>();
        for (String column : columns.keySet()) {
            OpenType<?> type = columns.getType(column);
            if (!type.equals(SimpleType.STRING) && !LEFT_OUT.contains(column)) {
                String description = columns.getDescription(column).replaceFirst("^Nanoseconds", "Time");
                meters.add(GAUGES.contains(column) ? gauge(values, column, description, own)
                        : counter(values, column, description, own));
            }
        }
        return new Series(values, meters);
    }

    private Meter gauge(LoopSeries values, String column, String description, Tags own) {
        if (column.endsWith(NANOS)) {
            return TimeGauge.builder(name(column), values, TimeUnit.NANOSECONDS, from -> from.gauge(column))
                    .tags(own).description(description).strongReference(true).register(registry);
        }
        return Gauge.builder(name(column), values, from -> from.gauge(column)).tags(own).description(description)
                .baseUnit(unit(column)).strongReference(true).register(registry);
    }

    private Meter counter(LoopSeries values, String column, String description, Tags own) {
        if (column.startsWith(STRETCHES)) {
            String bound = column.substring(STRETCHES.length());
            return FunctionCounter.builder(name(STRETCHES), values, from -> from.counter(column))
                    .tags(own.and("up_to", BOUNDS.getOrDefault(bound, bound))).baseUnit("stretches")
                    .description("Times from one wait to the next that took up_to seconds at most").register(registry);
        }
        if (column.endsWith(NANOS)) {
            double second = TimeUnit.SECONDS.toNanos(1);
            return FunctionCounter.builder(name(column), values, from -> from.counter(column) / second).tags(own)
                    .description(description).baseUnit("seconds").register(registry);
        }
        return FunctionCounter.builder(name(column), values, from -> from.counter(column)).tags(own)
                .description(description).baseUnit(unit(column)).register(registry);
    }

    /** {@code pollux.loop.blocked.waits}; of times without the unit, which registries add, unless a flag is like it. */
    private static String name(String column) {
        String words = column.replaceAll(NANOS + "$", column.equals("blockedNanos") ? "Seconds" : "");
        return "pollux.loop." + words.replaceAll("([A-Z])", ".$1").toLowerCase(Locale.ROOT);
    }

    /** The last word, if it is a plural; else there is none. */
    private static String unit(String column) {
        String last = column.replaceAll(".*(?=[A-Z])", "").toLowerCase(Locale.ROOT);
        return last.endsWith("s") ? last : null;
    }
}
