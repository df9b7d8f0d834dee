// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.handout;

import static java.util.concurrent.TimeUnit.NANOSECONDS;

import com.google.gson.Gson;
import com.sun.management.OperatingSystemMXBean;
import dev.pollux.Poller;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;

/** The measured virtual machine: one Poller, its members, and the threads that share them. One thread runs it. */
final class Race {
    /** With {@link Load#LONG} each worker's every such handler blocks for that long. */
    private static final int EVERY = 16;
    private static final long PAUSE = TimeUnit.MILLISECONDS.toNanos(5);
    private static final int DIGITS = 3;
    private static final int PATIENCE_SECONDS = 30;

    private final OperatingSystemMXBean system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    private final Poller poller = new Poller();
    private final Way way;
    private final Load load;
    private final int batch;
    /** The members by descriptor, for who is given no attachments. */
    private final Link[] byDescriptor;
    private volatile boolean measured;
    private volatile boolean over;

    /** The ways of being given what is ready. */
    enum Way {
        /** A handler is given one member at a time. */
        ONE("one at a time"),
        /** A thread takes several into arrays, and holds them until it has dealt with each. */
        BATCH("batch");

        final String label;

        Way(String label) {
            this.label = label;
        }
    }

    /**
     * What one virtual machine measured.
     *
     * @param events     handlers that began
     * @param cpuSeconds of the whole virtual machine
     * @param p50        from ready to the beginning of the handler, in microseconds; so are the others
     */
    record Sample(long events, double seconds, double cpuSeconds, double p50, double p99, double max) {
        double perSecond() {
            return events / seconds;
        }

        double perCpuSecond() {
            return events / cpuSeconds;
        }
    }

    /** What handlers do: they read a byte, write it on, and enable the member; LONG ones block now and then before. */
    enum Load { SHORT, LONG }

    private Race(Way way, Load load, int members, int batch) throws IOException {
        this.way = way;
        this.load = load;
        this.batch = batch;
        List<Link> links = new ArrayList<>();
        for (int i = 0; i < members; i++) {
            links.add(new Link(poller));
        }
        byDescriptor = new Link[1 + links.stream().mapToInt(Link::descriptor).max().orElseThrow()];
        for (Link link : links) {
            byDescriptor[link.descriptor()] = link;
            link.begin();
        }
    }

    /** Arguments: way, load, threads, members, batch, and the seconds of warming up and of measuring. */
    public static void main(String[] args) throws Exception {
        Race race = new Race(Way.valueOf(args[0]), Load.valueOf(args[1]), Integer.parseInt(args[3]),
                Integer.parseInt(args[4]));
        System.out.println(new Gson().toJson(race.run(Integer.parseInt(args[2]), Double.parseDouble(args[5]),
                Double.parseDouble(args[6]))));
        System.exit(0);
    }

    private Sample run(int threads, double warmUp, double seconds) throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        List<Future<Histogram>> workers = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            Worker worker = new Worker(i);
            workers.add(pool.submit(worker::work));
        }
        Thread.sleep(Math.round(warmUp * 1e3));
        long start = System.nanoTime();
        long cpu = system.getProcessCpuTime();
        measured = true;
        Thread.sleep(Math.round(seconds * 1e3));
        measured = false;
        cpu = system.getProcessCpuTime() - cpu;
        long nanos = System.nanoTime() - start;
        over = true;
        // Every member is enabled and ready, so that no thread waits for ever; if one does, it has missed something.
        Histogram waits = workers.get(0).get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        for (Future<Histogram> worker : workers.subList(1, workers.size())) {
            waits.add(worker.get(PATIENCE_SECONDS, TimeUnit.SECONDS));
        }
        return new Sample(waits.getTotalCount(), nanos / 1e9, cpu / 1e9, waits.getValueAtPercentile(50) / 1e3,
                waits.getValueAtPercentile(99) / 1e3, waits.getMaxValue() / 1e3);
    }

    /** A thread that awaits and handles. No allocation once it runs. */
    private final class Worker {
        private final ByteBuffer buffer = ByteBuffer.allocateDirect(1);
        private final Histogram waits = new Histogram(TimeUnit.MINUTES.toNanos(1), DIGITS);
        private int handled;

        /** Argument: its number, so that not all block at the same time. */
        Worker(int number) {
            handled = number;
        }

        /**
         * Works until the race is over, and deals with all that it was given, so that every member is enabled at the
         * end. Returns how long members were ready before it began with them.
         */
        Histogram work() throws IOException {
            Poller.Handler handler = (member, events) -> handle((Link) member.attachment());
            int[] descriptors = new int[batch];
            short[] events = new short[batch];
            while (!over) {
                if (way == Way.ONE) {
                    poller.await(handler);
                    continue;
                }
                int count = poller.await(descriptors, events, Poller.FOREVER, NANOSECONDS);
                for (int i = 0; i < count; i++) {
                    handle(byDescriptor[descriptors[i]]);
                }
            }
            return waits;
        }

        private void handle(Link link) throws IOException {
            if (measured) {
                waits.recordValue(System.nanoTime() - link.ready);
            }
            if (load == Load.LONG && ++handled % EVERY == 0) {
                LockSupport.parkNanos(PAUSE);
            }
            link.turn(buffer);
        }
    }

    /**
     * A pipe whose reading end is a one-shot member, with a byte that is read and written to it again: so it is ready
     * as soon as it is enabled. For one thread at a time, to which the Poller gives it. No allocation after
     * construction.
     */
    private static final class Link {
        private final Pipe pipe = Pipe.open();
        private final Poller.Member member;

        /** When it became ready. */
        private long ready;

        Link(Poller poller) throws IOException {
            pipe.source().configureBlocking(false);
            pipe.sink().configureBlocking(false);
            member = poller.add(pipe.source(), Poller.POLLIN | Poller.ONESHOT, this);
        }

        int descriptor() {
            return member.descriptor();
        }

        /** Makes it ready for the first time. */
        void begin() throws IOException {
            ready = System.nanoTime();
            write(ByteBuffer.allocate(1));
        }

        /** Deals with it, and makes it ready again. */
        void turn(ByteBuffer buffer) throws IOException {
            if (pipe.source().read(buffer.clear()) != 1) {
                throw new IOException("a pipe that was said to be readable has nothing to read");
            }
            write(buffer.flip());
            ready = System.nanoTime();
            member.enable();
        }

        private void write(ByteBuffer buffer) throws IOException {
            if (pipe.sink().write(buffer) != 1) {
                throw new IOException("an empty pipe takes nothing");
            }
        }
    }
}
