// SPDX-License-Identifier: Apache-2.0
package dev.pollux.poller;

import static dev.pollux.Poller.ONESHOT;
import static dev.pollux.Poller.POLLIN;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.ClosedPollerException;
import dev.pollux.Poller;
import dev.pollux.lab.Job;
import dev.pollux.lab.Workbench.Connection;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Tag;

/** Many connections, several threads: each byte is handled once, in order, by one thread at a time. */
@Tag("load")
class OneShotStressTest {

    private static final int CONNECTIONS = 48;
    private static final int WORKERS = 4;
    private static final int WRITERS = 2;
    private static final int BYTES = 150;

    /** One connection: who is at it, and what it has received. */
    private static final class Line {

        private final Connection connection;
        private final CountDownLatch left;
        private final AtomicBoolean busy = new AtomicBoolean();
        private final ByteBuffer buffer = ByteBuffer.allocate(64);
        private int received; // guarded by one-shot alone

        Line(Connection connection, CountDownLatch left) {
            this.connection = connection;
            this.left = left;
        }

        /** Reads what there is, one byte at a time or all of it. */
        void receive(int most) throws IOException {
            assertTrue(busy.compareAndSet(false, true), "a one-shot member was given to two threads");
            buffer.clear().limit(most);
            int n = connection.near().read(buffer);
            assertTrue(n > 0, "a connection without data was reported");
            for (int i = 0; i < n; i++) {
                assertEquals((byte) received++, buffer.get(i));
                left.countDown();
            }
            busy.set(false);
        }
    }

    @EachMechanism
    void eachByteIsHandledOnceByAnyForm(PollerLab lab) throws Exception {
        stress(lab, Form.values());
    }

    @EachMechanism
    void eachByteIsHandledOnceByArrays(PollerLab lab) throws Exception {
        stress(lab, Form.ARRAYS);
    }

    @EachMechanism
    void eachByteIsHandledOnceByHandlers(PollerLab lab) throws Exception {
        stress(lab, Form.HANDLER);
    }

    @EachMechanism
    void eachByteIsHandledOnceByIterables(PollerLab lab) throws Exception {
        stress(lab, Form.ITERABLE);
    }

    private static void stress(PollerLab lab, Form... forms) throws Exception {
        Poller poller = lab.poller();
        CountDownLatch left = new CountDownLatch(CONNECTIONS * BYTES);
        List<Line> lines = new ArrayList<>();
        for (int i = 0; i < CONNECTIONS; i++) {
            Line line = new Line(lab.tcp(), left);
            poller.add(line.connection.near(), POLLIN | ONESHOT, line);
            lines.add(line);
        }
        List<Job<Integer>> workers = new ArrayList<>();
        for (int i = 0; i < WORKERS; i++) {
            Form form = forms[i % forms.length];
            int most = i % 2 == 0 ? 1 : 64;
            workers.add(lab.start(() -> work(poller, form, most)));
        }
        for (int i = 0; i < WRITERS; i++) {
            List<Line> part = lines.subList(i * CONNECTIONS / WRITERS, (i + 1) * CONNECTIONS / WRITERS);
            lab.start(() -> write(part, new Random(part.size())));
        }
        boolean complete = left.await(30, TimeUnit.SECONDS);
        poller.close();
        int handled = 0;
        for (Job<Integer> worker : workers) {
            handled += worker.result();
        }
        assertTrue(complete, "bytes that were not handled: " + left.getCount());
        assertTrue(handled > 0 && handled <= CONNECTIONS * BYTES);
    }

    private static int work(Poller poller, Form form, int most) throws IOException {
        int[] handled = new int[1];
        try {
            while (true) {
                form.await(poller, Awaits.FOR_EVER, (member, events) -> {
                    ((Line) member.attachment()).receive(most);
                    handled[0]++;
                    member.enable();
                });
            }
        } catch (ClosedPollerException e) {
            return handled[0];
        }
    }

    private static Void write(List<Line> lines, Random random) throws IOException {
        int[] sent = new int[lines.size()];
        for (int total = 0; total < lines.size() * BYTES;) {
            int i = random.nextInt(lines.size());
            if (sent[i] < BYTES) {
                lines.get(i).connection.far().write(ByteBuffer.wrap(new byte[] {(byte) sent[i]++}));
                total++;
            }
        }
        return null;
    }
}
