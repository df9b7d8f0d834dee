// SPDX-License-Identifier: Apache-2.0
package dev.pollux.poller;

import static java.util.concurrent.TimeUnit.NANOSECONDS;

import dev.pollux.Poller;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** The three forms of await, so that a test can ask each of them the same. */
enum Form {

    ARRAYS {
        @Override
        int await(Poller poller, long nanos, Poller.Handler handler) throws IOException {
            return awaitAtMost(ROOM, poller, nanos, handler);
        }

        @Override
        int awaitAtMost(int most, Poller poller, long nanos, Poller.Handler handler) throws IOException {
            int[] descriptors = new int[most];
            short[] events = new short[ROOM];
            int n = poller.await(descriptors, events, nanos, NANOSECONDS);
            for (int i = 0; i < n; i++) {
                handler.ready(poller.find(descriptors[i]), events[i]);
            }
            return n;
        }
    },
    HANDLER {
        @Override
        int await(Poller poller, long nanos, Poller.Handler handler) throws IOException {
            return poller.await(handler, nanos, NANOSECONDS);
        }

        @Override
        int awaitAtMost(int most, Poller poller, long nanos, Poller.Handler handler) throws IOException {
            throw new UnsupportedOperationException("a handler is called for all that is ready");
        }
    },
    ITERABLE {
        @Override
        int await(Poller poller, long nanos, Poller.Handler handler) throws IOException {
            return awaitAtMost(Integer.MAX_VALUE, poller, nanos, handler);
        }

        @Override
        int awaitAtMost(int most, Poller poller, long nanos, Poller.Handler handler) throws IOException {
            int n = 0;
            for (Poller.Ready ready : poller.await(nanos, NANOSECONDS)) {
                handler.ready(ready.member(), ready.events());
                if (++n == most) {
                    break;
                }
            }
            return n;
        }
    };

    /** Those that can be told to report no more than a number of members. */
    static final List<Form> LIMITED = List.of(ARRAYS, ITERABLE);

    private static final int ROOM = 64;

    /** Lets the handler see each member and returns how many there were. */
    abstract int await(Poller poller, long nanos, Poller.Handler handler) throws IOException;

    /** The same for up to {@code most} members: arrays have room for no more, or the iteration is broken off. */
    abstract int awaitAtMost(int most, Poller poller, long nanos, Poller.Handler handler) throws IOException;

    int await(Poller poller, long nanos) throws IOException {
        return await(poller, nanos, (member, events) -> { });
    }

    List<Report> reports(Poller poller, long nanos) throws IOException {
        List<Report> reports = new ArrayList<>();
        await(poller, nanos, (member, events) -> reports.add(new Report(member, events)));
        return reports;
    }
}
