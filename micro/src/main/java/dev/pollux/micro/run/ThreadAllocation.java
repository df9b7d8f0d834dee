// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.run;

import dev.pollux.micro.bench.Allocation;
import java.util.Collection;
import java.util.List;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.infra.IterationParams;
import org.openjdk.jmh.profile.InternalProfiler;
import org.openjdk.jmh.results.AggregationPolicy;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.ScalarResult;

/** Divides what {@link Allocation} counted by the operations of the iteration. Stateless. */
public final class ThreadAllocation implements InternalProfiler {
    /** The name of the figure. */
    public static final String NAME = "thread.alloc.norm";

    @Override
    public void beforeIteration(BenchmarkParams benchmark, IterationParams iteration) {
        // The benchmark itself begins the count, in its own thread.
    }

    @Override
    public Collection<? extends Result<?>> afterIteration(
            BenchmarkParams benchmark, IterationParams iteration, IterationResult result) {
        double each = (double) Allocation.bytes() / result.getMetadata().getAllOps();
        return List.of(new ScalarResult(NAME, each, "B/op", AggregationPolicy.AVG));
    }

    @Override
    public String getDescription() {
        return "bytes allocated by the measuring thread";
    }
}
