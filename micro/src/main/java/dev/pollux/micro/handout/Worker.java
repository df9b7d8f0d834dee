// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.handout;

import dev.pollux.Poller;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;

/** A thread that awaits and handles. No allocation once it runs. */
final class Worker implements Callable<Histogram> {
    /** With {@link Load#LONG} each worker's every such handler blocks for that long. */
    private static final int EVERY = 16;
    private static final long PAUSE = TimeUnit.MILLISECONDS.toNanos(5);

    private static final int DIGITS = 3;

    private final Race race;
    private final Load load;
    private final ByteBuffer buffer = ByteBuffer.allocateDirect(1);
    private final Histogram waits = new Histogram(TimeUnit.MINUTES.toNanos(1), DIGITS);
    private int handled;

    /** Arguments: what it takes part in, what it does, and its number: so not all block at the same time. */
    Worker(Race race, Load load, int number) {
        this.race = race;
        this.load = load;
        handled = number;
    }

    /** Works until the race is over: how long members were ready before it began with them. */
    @Override
    public Histogram call() throws IOException {
        switch (race.way()) {
            case ONE -> awaitOne();
            case BATCH -> awaitBatch();
        }
        return waits;
    }

    private void awaitOne() throws IOException {
        Poller.Handler handler = (member, events) -> handle((Link) member.attachment());
        while (!race.isOver()) {
            race.poller().await(handler, Poller.FOREVER);
        }
    }

    /** What it was given it deals with, so that every member is enabled when all end. */
    private void awaitBatch() throws IOException {
        int[] descriptors = new int[race.batch()];
        short[] events = new short[race.batch()];
        while (!race.isOver()) {
            int count = race.poller().await(descriptors, events, Poller.FOREVER);
            for (int i = 0; i < count; i++) {
                handle(race.link(descriptors[i]));
            }
        }
    }

    private void handle(Link link) throws IOException {
        if (race.isMeasured()) {
            waits.recordValue(System.nanoTime() - link.ready());
        }
        if (load == Load.LONG && ++handled % EVERY == 0) {
            LockSupport.parkNanos(PAUSE);
        }
        link.turn(buffer);
    }
}
