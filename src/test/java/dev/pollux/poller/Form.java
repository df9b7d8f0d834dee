// SPDX-License-Identifier: Apache-2.0
package dev.pollux.poller;

import dev.pollux.Poller;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** The three forms of await, so that a test can ask each of them the same. */
enum Form {

    ARRAYS {
        @Override
        int await(Poller poller, long nanos, Poller.Handler handler) throws IOException {
            int[] descriptors = new int[ROOM];
            short[] events = new short[ROOM];
            int n = poller.await(descriptors, events, nanos);
            for (int i = 0; i < n; i++) {
                handler.ready(descriptors[i], events[i], null);
            }
            return n;
        }
    },
    HANDLER {
        @Override
        int await(Poller poller, long nanos, Poller.Handler handler) throws IOException {
            return poller.await(handler, nanos);
        }
    },
    ITERABLE {
        @Override
        int await(Poller poller, long nanos, Poller.Handler handler) throws IOException {
            int n = 0;
            for (Poller.Ready ready : poller.await(nanos)) {
                handler.ready(ready.descriptor(), ready.events(), ready.attachment());
                n++;
            }
            return n;
        }
    };

    private static final int ROOM = 64;

    /** Lets the handler see each entry and returns how many there were. The arrays carry no attachment: null. */
    abstract int await(Poller poller, long nanos, Poller.Handler handler) throws IOException;

    int await(Poller poller, long nanos) throws IOException {
        return await(poller, nanos, (descriptor, events, attachment) -> { });
    }

    List<Report> reports(Poller poller, long nanos) throws IOException {
        List<Report> reports = new ArrayList<>();
        await(poller, nanos, (descriptor, events, attachment) -> reports.add(new Report(descriptor, events, attachment)));
        return reports;
    }
}
