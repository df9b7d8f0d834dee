// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micrometer;

import dev.pollux.Pollux;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Meters for the loops of Pollux: selectors, Pollers, and threads of StreamServers. Those of a loop are called
 * {@code pollux.loop.…} and have the tags {@code kind}, {@code mechanism} and {@code slot}. A slot is a small number
 * that is used again when its loop is closed, so the number of meters does not grow with that of loops. A loop has
 * meters some seconds after it was opened, and until some seconds after it was closed. If another loop gets the slot at
 * once, counters go on where they were.
 *
 * <p>All is read from the MBean {@code dev.pollux:type=Loops}, at most once a second; that costs the loops nothing.
 * Binding registers the MBean. The page "Monitoring" of the documentation has a table of all meters.
 *
 * <pre>{@code
 * new PolluxMetrics().bindTo(registry);
 * }</pre>
 *
 * <p>Safe for use by many threads. Each registry has a daemon thread that looks for loops that come and go.
 */
public final class PolluxMetrics implements MeterBinder, AutoCloseable {
    private static final int LOOK_SECONDS = 5;

    private final Tags tags;

    /** Guarded by this. */
    private final List<AutoCloseable> bound = new ArrayList<>();

    /** Meters without further tags. */
    public PolluxMetrics() {
        this(Tags.empty());
    }

    /**
     * Meters with further tags.
     *
     * @param tags which each meter has beside its own
     */
    public PolluxMetrics(Iterable<Tag> tags) {
        this.tags = Tags.of(tags);
    }

    /**
     * Registers the meters, and from now on those of loops that are opened later.
     *
     * @throws UnsupportedOperationException if this Java runtime lacks the module {@code java.management}
     */
    @Override
    public void bindTo(MeterRegistry registry) {
        Pollux.registerMBeans();
        LoopsReader reader = new LoopsReader();
        List<Meter> sums = List.of(sum(registry, reader, "Open", "Loops that are open"),
                sum(registry, reader, "Stalled", "Loops that have not selected for 100 ms though there are events"),
                sum(registry, reader, "Blocked", "Loops whose verdict is that they are blocked"),
                sum(registry, reader, "Lost", "Loops from which no thread selects any more"),
                FunctionCounter.builder("pollux.unexpected.errors", reader, loops -> loops.read().sum("Unexpected"))
                        .tags(tags).description("Errors of Pollux's own that were kept from the application")
                        .baseUnit("errors").register(registry));
        LoopMeters meters = new LoopMeters(registry, reader, tags);
        meters.update();
        ScheduledThreadPoolExecutor looking = new ScheduledThreadPoolExecutor(1, PolluxMetrics::thread);
        looking.scheduleWithFixedDelay(() -> look(meters), LOOK_SECONDS, LOOK_SECONDS, TimeUnit.SECONDS);
        synchronized (this) {
            bound.add(() -> {
                looking.shutdownNow();
                meters.close();
                sums.forEach(registry::remove);
            });
        }
    }

    private Meter sum(MeterRegistry registry, LoopsReader reader, String attribute, String description) {
        return Gauge.builder("pollux.loops." + attribute.toLowerCase(Locale.ROOT), reader,
                loops -> loops.read().sum(attribute)).tags(tags).description(description).strongReference(true)
                .register(registry);
    }

    /** A registry that refuses a meter would do so each time. So the first time is the last one. */
    private static void look(LoopMeters meters) {
        try {
            meters.update();
        } catch (RuntimeException e) {
            System.getLogger("dev.pollux").log(Level.WARNING, "Meters of loops are not looked after any more", e);
            throw e;
        }
    }

    private static Thread thread(Runnable work) {
        Thread thread = new Thread(work, "Pollux metrics");
        thread.setDaemon(true);
        return thread;
    }

    /** Takes the meters away from all registries, and ends the threads. The MBean stays. */
    @Override
    public void close() {
        List<AutoCloseable> all;
        synchronized (this) {
            all = List.copyOf(bound);
            bound.clear();
        }
        for (AutoCloseable each : all) {
            try {
                each.close();
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }
    }
}
