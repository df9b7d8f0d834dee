// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.ping;

import com.google.gson.Gson;
import com.sun.management.OperatingSystemMXBean;
import dev.pollux.micro.ping.Ping.Mode;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/**
 * The measured virtual machine: "WAY MODE SIZE WARM-UP SECONDS", where WAY is the first word of a way's name. All but
 * {@link Asynchronous} exchange here, by ends that wait: in one thread, and between two. No allocation per trip.
 */
final class Pinger {
    /** What one virtual machine measured. Percentiles and processor time of a round trip are in microseconds. */
    record Sample(double p1, double p50, double p99, double p999, double perSecond, double processor) {
    }

    private Pinger() {
    }

    /** Prints a {@link Sample}. */
    public static void main(String[] args) throws IOException, InterruptedException, ExecutionException {
        Mode mode = Mode.valueOf(args[1]);
        int size = Integer.parseInt(args[2]);
        Trips trips = new Trips(nanos(args[3]), nanos(args[4]));
        if (args[0].equals("asynchronous")) {
            Asynchronous.exchange(mode, size, trips);
        } else {
            exchange(args[0], mode, size, trips);
        }
        System.out.println(new Gson().toJson(trips.sample()));
    }

    private static long nanos(String seconds) {
        return (long) (Double.parseDouble(seconds) * 1e9);
    }

    private static void exchange(String way, Mode mode, int size, Trips trips)
            throws IOException, InterruptedException, ExecutionException {
        try (ServerSocketChannel server = ServerSocketChannel.open()
                .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
                End near = End.of(way, prepared(SocketChannel.open(server.getLocalAddress())), size);
                End far = End.of(way, prepared(server.accept()), size)) {
            if (mode == Mode.ONE) {
                alone(near, far, trips);
            } else {
                between(near, far, mode, trips);
            }
        }
    }

    /** One thread is at both ends: what it waits for is always there already. */
    private static void alone(End near, End far, Trips trips) throws IOException {
        do {
            byte sent = near.send();
            far.receive();
            far.send();
            near.receive();
            near.check(sent);
        } while (trips.next());
    }

    /** This thread is at the near end, another one, which sends everything back, at the far end. */
    private static void between(End near, End far, Mode mode, Trips trips)
            throws IOException, InterruptedException, ExecutionException {
        FutureTask<Void> echo = new FutureTask<>(() -> {
            try (far) {         // a failure here must end the other thread's wait
                while (far.receive()) {
                    far.send();
                }
            }
            return null;
        });
        Thread ponger = new Thread(echo, Mode.PONGER);
        ponger.setDaemon(true);
        ponger.start();
        Thread.currentThread().setName(Mode.PINGER);
        mode.bind();
        do {
            byte sent = near.send();
            near.receive();
            near.check(sent);
        } while (trips.next());
        near.channel.shutdownOutput();
        echo.get();
    }

    private static SocketChannel prepared(SocketChannel channel) throws IOException {
        return channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
    }

    /**
     * Counts and times round trips: first some for warming up, which are forgotten, then those that are measured.
     *
     * <p>Used by the pinging thread. No allocation after construction, as long as no trip takes longer than a minute.
     */
    static final class Trips {
        private static final int DIGITS = 3;

        private final Histogram nanos = new Histogram(TimeUnit.MINUTES.toNanos(1), DIGITS);
        private final OperatingSystemMXBean system =
                (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        private final long measured;

        /** When the current trip began, when the measurement began or shall begin, and when it shall end. */
        private long started;
        private long begin;
        private long end;

        private boolean measuring;
        private long processorTime;

        Trips(long warmUp, long measured) {
            this.measured = measured;
            started = System.nanoTime();
            begin = started + warmUp;
        }

        /** Says that a trip has ended and the next begins; false if there is no time for another. */
        boolean next() {
            long now = System.nanoTime();
            if (measuring) {
                nanos.recordValue(now - started);
            } else if (now - begin >= 0) {
                measuring = true;
                processorTime = system.getProcessCpuTime();
                now = System.nanoTime();
                begin = now;
                end = now + measured;
            }
            started = now;
            return !measuring || now - end < 0;
        }

        /** To be called when the last trip has ended. */
        Sample sample() {
            long count = nanos.getTotalCount();
            double spent = system.getProcessCpuTime() - processorTime;
            return new Sample(micros(1), micros(50), micros(99), micros(99.9), count * 1e9 / (started - begin),
                    spent / 1e3 / count);
        }

        private double micros(double percentile) {
            return nanos.getValueAtPercentile(percentile) / 1e3;
        }
    }
}
