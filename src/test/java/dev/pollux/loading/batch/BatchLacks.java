// SPDX-License-Identifier: Apache-2.0
package dev.pollux.loading.batch;

import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;

/**
 * Event loops where the system refuses something that a batch needs. {@code slow} has a peer that reads slowly, and
 * looks what the thread of the batch does meanwhile; a number is that of selectors which all would defer writes.
 */
public final class BatchLacks extends PairedBatch {
    private static final int TURNS = 100;
    private static final int LENGTH = 600_000;
    private static final int PAUSE_MILLIS = 500;

    /** A thread of its own says warnings, a little later. */
    private static final int WARNING_MILLIS = 1500;

    private static final int MAX_SWITCHES = 1500;

    /** Of 10 ms each: a thread that spins takes all of them. */
    private static final int MAX_TICKS = 20;

    private BatchLacks() throws IOException {
        super(false);
    }

    /** Plays a case. */
    public static void main(String[] arguments) throws Exception {
        if (arguments[0].equals("slow")) {
            BatchLacks lacks = new BatchLacks();
            lacks.run(TURNS, lacks::serve, lacks::writeToSlowReader);
            return;
        }
        List<BatchLacks> loops = new ArrayList<>();
        for (int i = Integer.parseInt(arguments[0]); i > 0; i--) {
            loops.add(new BatchLacks());
        }
        for (int turn = 0; turn < TURNS; turn++) {
            for (BatchLacks each : loops) {
                each.serve();
            }
        }
        long deferring = loops.stream().filter(each -> !counters(each.selector).contains("deferredWrites=0,")).count();
        System.out.println(deferring + " of " + loops.size() + " defer\nas it should be");
        Thread.sleep(WARNING_MILLIS);
        System.exit(0);
    }

    private void writeToSlowReader() throws Exception {
        SocketChannel slow = near.get(0);
        slow.setOption(StandardSocketOptions.SO_SNDBUF, 20_000);
        FutureTask<Long> reader = new FutureTask<>(() -> readSlowly(far.get(0)));
        Thread thread = new Thread(reader);
        thread.setDaemon(true);
        ByteBuffer all = ByteBuffer.allocateDirect(10_000);
        long written = fill(slow);
        long[] before = work();
        Thread.sleep(PAUSE_MILLIS);
        long[] after = work();
        long switches = after[0] - before[0];
        long ticks = after[1] - before[1];
        System.out.println("pollux-batch: " + switches + " switches, " + ticks + " ticks");
        require(switches < MAX_SWITCHES && ticks < MAX_TICKS, "pollux-batch spins");
        thread.start();
        slow.keyFor(selector).interestOps(SelectionKey.OP_WRITE);
        for (long end = written + LENGTH; written < end;) {
            selector.select();
            selector.selectedKeys().clear();
            written += slow.write(all.clear().limit((int) Math.min(all.capacity(), end - written)));
        }
        slow.shutdownOutput();
        require(reader.get() == written, reader.get() + " of " + written + " bytes came");
        System.out.println(counters(selector));
    }

    private static long readSlowly(SocketChannel from) throws Exception {
        ByteBuffer bytes = ByteBuffer.allocateDirect(50_000);
        long count = 0;
        for (int n = from.read(bytes); n >= 0; n = from.read(bytes.clear())) {
            count += n;
            Thread.sleep(1);
        }
        return count;
    }

    /** Context switches and ticks of processor time of the batch's thread; zero if it has none. */
    private static long[] work() throws IOException {
        try (DirectoryStream<Path> threads = Files.newDirectoryStream(Path.of("/proc/self/task"))) {
            for (Path each : threads) {
                if (Files.readString(each.resolve("comm")).strip().equals("pollux-batch")) {
                    long switches = Files.readAllLines(each.resolve("status")).stream()
                            .filter(line -> line.contains("ctxt_switches"))
                            .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", ""))).sum();
                    String stat = Files.readString(each.resolve("stat"));
                    String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
                    return new long[] {switches, Long.parseLong(fields[11]) + Long.parseLong(fields[12])};
                }
            }
        }
        return new long[2];
    }
}
