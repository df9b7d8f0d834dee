// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.handout;

import com.sun.management.OperatingSystemMXBean;
import dev.pollux.Poller;
import java.io.Closeable;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.HdrHistogram.Histogram;

/** One Poller, its members, and the threads that share them. Workers read what does not change; one thread runs it. */
final class Race implements Closeable {
    private static final int PATIENCE_SECONDS = 30;

    private final OperatingSystemMXBean system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    private final Poller poller = new Poller();
    private final List<Link> links = new ArrayList<>();
    private final Way way;
    private final int batch;

    /** The members by descriptor, for who is given no attachments. */
    private final Link[] byDescriptor;

    private volatile boolean measured;
    private volatile boolean over;

    Race(Way way, int members, int batch) throws IOException {
        this.way = way;
        this.batch = batch;
        for (int i = 0; i < members; i++) {
            links.add(new Link(poller));
        }
        byDescriptor = new Link[1 + links.stream().mapToInt(Link::descriptor).max().orElseThrow()];
        for (Link link : links) {
            byDescriptor[link.descriptor()] = link;
            link.begin();
        }
    }

    Poller poller() {
        return poller;
    }

    Way way() {
        return way;
    }

    int batch() {
        return batch;
    }

    Link link(int descriptor) {
        return byDescriptor[descriptor];
    }

    boolean isMeasured() {
        return measured;
    }

    boolean isOver() {
        return over;
    }

    /** Runs once: a time for warming up, and one that is measured. */
    Sample run(Load load, int threads, long warmUpMillis, long millis)
            throws InterruptedException, ExecutionException, TimeoutException {
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        try {
            List<Future<Histogram>> workers = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                workers.add(pool.submit(new Worker(this, load, i)));
            }
            Thread.sleep(warmUpMillis);
            long start = System.nanoTime();
            long cpu = system.getProcessCpuTime();
            measured = true;
            Thread.sleep(millis);
            measured = false;
            cpu = system.getProcessCpuTime() - cpu;
            long nanos = System.nanoTime() - start;
            over = true;
            return sample(sum(workers), nanos, cpu);
        } finally {
            pool.shutdownNow();
        }
    }

    /** Every member is enabled and ready, so that nobody waits for ever; if one does, it has missed something. */
    private static Histogram sum(List<Future<Histogram>> workers)
            throws InterruptedException, ExecutionException, TimeoutException {
        Histogram all = workers.get(0).get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        for (Future<Histogram> worker : workers.subList(1, workers.size())) {
            all.add(worker.get(PATIENCE_SECONDS, TimeUnit.SECONDS));
        }
        return all;
    }

    private static Sample sample(Histogram waits, long nanos, long cpu) {
        return new Sample(waits.getTotalCount(), nanos / 1e9, cpu / 1e9, waits.getValueAtPercentile(50) / 1e3,
                waits.getValueAtPercentile(99) / 1e3, waits.getMaxValue() / 1e3);
    }

    @Override
    public void close() throws IOException {
        poller.close();
        for (Link link : links) {
            link.close();
        }
    }
}
