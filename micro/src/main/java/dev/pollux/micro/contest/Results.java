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
    public record Calls(String server, String way, int connections, String mode, double perRequest,
            Map<String, Double> names) implements Shown {
    }
}
