// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micrometer;

import java.lang.management.ManagementFactory;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import javax.management.Attribute;
import javax.management.InstanceNotFoundException;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.MalformedObjectNameException;
import javax.management.ObjectName;
import javax.management.openmbean.CompositeData;
import javax.management.openmbean.TabularData;

/** Reads the MBean for all meters together, so that those of one page belong to one moment. Safe for many threads. */
final class LoopsReader {
    private static final long MAX_AGE_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final String[] SUMS = {"Open", "Stalled", "Blocked", "Lost", "Unexpected"};

    private final MBeanServer server = ManagementFactory.getPlatformMBeanServer();
    private final ObjectName name = name();

    /** What was read last, and when. Guarded by this. */
    private Loops last;
    private long readAt;

    /** Names a series of a loop. */
    record Place(String kind, String mechanism, long slot) {
    }

    /**
     * All at one moment.
     *
     * @param sums what counts all loops, by the attribute's name
     * @param rows of those that have a slot
     */
    record Loops(Map<String, Number> sums, Map<Place, CompositeData> rows) {
        static final Loops NONE = new Loops(Map.of(), Map.of());

        double sum(String attribute) {
            return sums.getOrDefault(attribute, 0).doubleValue();
        }
    }

    private static ObjectName name() {
        try {
            return new ObjectName("dev.pollux:type=Loops");
        } catch (MalformedObjectNameException e) {
            throw new AssertionError(e); // it is always the same
        }
    }

    synchronized Loops read() {
        long now = System.nanoTime();
        if (last == null || now - readAt >= MAX_AGE_NANOS) {
            last = readNow();
            readAt = System.nanoTime();
        }
        return last;
    }

    private Loops readNow() {
        try {
            Map<String, Number> sums = new HashMap<>();
            for (Attribute each : server.getAttributes(name, SUMS).asList()) {
                sums.put(each.getName(), (Number) each.getValue());
            }
            Map<Place, CompositeData> rows = new LinkedHashMap<>();
            for (Object each : ((TabularData) server.getAttribute(name, "Loops")).values()) {
                CompositeData row = (CompositeData) each;
                long slot = (Long) row.get("slot");
                if (slot >= 0) {
                    rows.put(new Place((String) row.get("kind"), (String) row.get("mechanism"), slot), row);
                }
            }
            return new Loops(sums, rows);
        } catch (InstanceNotFoundException e) {
            return Loops.NONE; // it was unregistered
        } catch (JMException e) {
            throw new IllegalStateException("could not read " + name, e);
        }
    }
}
