// SPDX-License-Identifier: Apache-2.0
package dev.pollux.poller;

import dev.pollux.Poller;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** The three forms of await, so that a test can ask each of them the same. */
enum Form {

    ARRAYS {
        @Override
        int await(Poller poller, long nanos, Poller.Handler handler) throws IOException {
            int[] descriptors = new int[ROOM];
            short[] events = new short[ROOM];
            return hand(poller, descriptors, events, poller.await(descriptors, events, timeout(nanos)), handler);
        }

        @Override
        int awaitAtMost(int most, Poller poller, long nanos, Poller.Handler handler) throws IOException {
            int[] descriptors = new int[ROOM];
            short[] events = new short[ROOM];
            return hand(poller, descriptors, events, poller.awaitNanos(descriptors, events, most, nanos), handler);
        }

        private int hand(Poller poller, int[] descriptors, short[] events, int n, Poller.Handler handler)
                throws IOException {
            for (int i = 0; i < n; i++) {
                handler.ready(poller.find(descriptors[i]), events[i]);
            }
            return n;
        }
    },
    HANDLER {
        @Override
        int await(Poller poller, long nanos, Poller.Handler handler) throws IOException {
            return poller.await(handler, timeout(nanos));
        }

        @Override
        int awaitAtMost(int most, Poller poller, long nanos, Poller.Handler handler) throws IOException {
            return poller.awaitNanos(handler, most, nanos);
        }
    },
    ITERABLE {
        @Override
        int await(Poller poller, long nanos, Poller.Handler handler) throws IOException {
            return hand(poller.await(timeout(nanos)), handler);
        }

        @Override
        int awaitAtMost(int most, Poller poller, long nanos, Poller.Handler handler) throws IOException {
            return hand(poller.awaitNanos(most, nanos), handler);
        }

        private int hand(Iterable<Poller.Ready> members, Poller.Handler handler) throws IOException {
            int n = 0;
            for (Poller.Ready ready : members) {
                handler.ready(ready.member(), ready.events());
                n++;
            }
            return n;
        }
    };

    private static final int ROOM = 64;

    private static Duration timeout(long nanos) {
        return nanos == Awaits.FOR_EVER ? Poller.FOREVER : Duration.ofNanos(nanos);
    }

    /** Lets the handler see each member and returns how many there were. */
    abstract int await(Poller poller, long nanos, Poller.Handler handler) throws IOException;

    /** The same for so many members at most. */
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
