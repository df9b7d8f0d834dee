// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.run;

import dev.pollux.micro.bench.Spent;
import java.util.Collection;
import java.util.List;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.infra.IterationParams;
import org.openjdk.jmh.profile.InternalProfiler;
import org.openjdk.jmh.results.AggregationPolicy;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.ScalarResult;

/** Divides what {@link Spent} counted by the operations of the iteration. Stateless. */
public final class SpentPerOperation implements InternalProfiler {
    /** The name of the figure of allocated bytes. */
    static final String BYTES = "thread.alloc.norm";

    /** The name of the figure of processor time. */
    static final String CPU = "thread.cpu.norm";

    @Override
    public void beforeIteration(BenchmarkParams benchmark, IterationParams iteration) {
        // The benchmark itself begins the count, in its own thread.
    }

    @Override
    public Collection<? extends Result<?>> afterIteration(
            BenchmarkParams benchmark, IterationParams iteration, IterationResult result) {
        long operations = result.getMetadata().getAllOps();
        return List.of(
                new ScalarResult(BYTES, Spent.bytes() / operations, "B/op", AggregationPolicy.AVG),
                new ScalarResult(CPU, Spent.cpu() / operations, "ns/op", AggregationPolicy.AVG));
    }

    @Override
    public String getDescription() {
        return "bytes and processor time of the measuring thread";
    }
}
