// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.contest;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** What came out, in the order of measuring. Not thread-safe. */
public record Results(List<Start> starts, List<Sample> samples, List<Calls> calls) {
    Results() {
        this(new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
    }

    /** What one way of a server showed, whatever the mode. */
    interface Shown {
        String server();

        String way();

        int connections();

        default boolean isOf(String server, String way, int connections) {
            return server().equals(server) && way().equals(way) && connections() == connections;
        }
    }

    /**
     * What is known of a server once its connections are open.
     *
     * @param version its version, or what it runs on
     * @param replaced the JDK's native methods that Pollux has replaced in it; empty if none
     * @param selectors the classes of its live selectors with their number; empty if that was not asked for
     * @param nativeBytes resident memory per connection outside of the heap; 0 if that was not asked for
     * @param heapBytes heap in use per connection; 0 if that was not asked for
     */
    public record Start(String server, String way, int connections, String version, String replaced,
            List<String> selectors, double nativeBytes, double heapBytes) implements Shown {
    }

    /**
     * System calls of a server for each request.
     *
     * @param names the same by name, if that was asked for
     */
    record Calls(String server, String way, int connections, String mode, double perRequest,
            Map<String, Double> names) implements Shown {
    }

    /**
     * What one way of a server showed in one turn.
     *
     * @param cpuSeconds user and system time of the server
     * @param softirqSeconds that of ksoftirqd on the server's processors
     * @param loadSeconds user and system time of the peers
     * @param switches how often one of the server's threads got a processor
     * @param bytes allocated in the server's virtual machine; negative if that is not known
     */
    record Sample(String server, String way, int connections, String mode, int round, double requests,
            double seconds, double cpuSeconds, double softirqSeconds, double loadSeconds, double p50Micros,
            double p99Micros, double p999Micros, double switches, double bytes) implements Shown {
        double perSecond() {
            return requests / seconds;
        }

        double perCpuSecond() {
            return requests / (cpuSeconds + softirqSeconds);
        }

        double cpuMicros() {
            return 1e6 / perCpuSecond();
        }

        double switchesPerRequest() {
            return switches / requests;
        }

        double bytesPerRequest() {
            return bytes < 0 ? Double.NaN : bytes / requests;
        }

        /** Processors that the server kept busy. */
        double busy() {
            return (cpuSeconds + softirqSeconds) / seconds;
        }

        /** Processors that its peers kept busy. */
        double loadBusy() {
            return loadSeconds / seconds;
        }
    }
}
