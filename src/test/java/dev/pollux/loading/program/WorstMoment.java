// SPDX-License-Identifier: Apache-2.0
package dev.pollux.loading.program;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.TimeUnit;
import javax.management.ObjectName;
import jdk.jfr.Recording;

/**
 * A program that has not logged before has a selector that spins at a limit for some seconds. Afterwards, with room
 * again, it uses what a program uses, and prints for each part whether it is whole.
 */
public final class WorstMoment {
    private static final long LATE_MILLIS = 2000;
    private static final int STACK = 256 * 1024;

    /** Connections in the queue: some are accepted where a recording gives descriptors back for a moment. */
    private static final int WAITING = 6;

    /** Calls are made from this number of the last frames of a stack. */
    private static final int LEVELS = 400;

    private final Set<String> notified = new ConcurrentSkipListSet<>();
    private final Limit limit;
    private final long nanos;
    private final String insight;

    /** Kept, since a constant that is used for the first time where the heap is full breaks off. */
    private final boolean isRecordedLater;
    private final Selector selector = Selector.open();
    private final ServerSocketChannel server = ServerSocketChannel.open();
    private long turns;
    private long errors;

    /** A class that a selection needs could not be loaded. */
    private LinkageError lost;
    private int levels;

    private WorstMoment(String limit, String insight, String seconds) throws IOException {
        this.limit = Limit.of(limit);
        nanos = TimeUnit.SECONDS.toNanos(Long.parseLong(seconds));
        this.insight = insight;
        isRecordedLater = insight.equals("jfr-later");
    }

    /**
     * Takes the limit (descriptors, heap, threads, stack), the fault (accept, key), when the first selection is made
     * (before, at) the limit, what looks: log, jfr (a recording), jfr-later (one that begins at the limit), jmx; and
     * the seconds at the limit.
     */
    public static void main(String[] arguments) throws Exception {
        WorstMoment program = new WorstMoment(arguments[0], arguments[3], arguments[4]);
        program.prepare();
        program.atLimit(arguments[0].equals("stack"), arguments[1], arguments[2].equals("before"));
        Thread.sleep(LATE_MILLIS);
        System.out.println(program.turns + " turns, errors " + program.errors);
        if (program.lost != null) {
            System.out.println("broken: selection: " + program.lost);
        }
        Aftermath.print(program.insight.equals("jmx"), program.selector);
        System.out.println("notified " + program.notified);
        System.exit(0);
    }

    private void prepare() throws Exception {
        server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)).configureBlocking(false);
        switch (insight) {
            case "jfr" -> new Recording().start();
            case "jfr-later" -> ManagementFactory.getPlatformMBeanServer();
            case "jmx" -> ManagementFactory.getPlatformMBeanServer().addNotificationListener(
                    new ObjectName("dev.pollux:type=Loops"), (told, any) -> notified.add(told.getType()), null, null);
            default -> selector.selectNow();
        }
    }

    private void atLimit(boolean isStack, String fault, boolean isUsedBefore) throws Exception {
        boolean isAccept = fault.equals("accept");
        Socket first = connect();
        SocketChannel accepted = server.accept();
        accepted.configureBlocking(false);
        SelectionKey key = isAccept ? server.register(selector, SelectionKey.OP_ACCEPT)
                : accepted.register(selector, SelectionKey.OP_READ);
        if (isUsedBefore) {
            selector.select(1);
            Thread.sleep(LATE_MILLIS); // what looks at it has begun, and has loaded what it needs
        }
        List<Socket> waiting = new ArrayList<>();
        if (isAccept) {
            for (int i = 0; i < WAITING; i++) {
                waiting.add(connect());
            }
        } else {
            first.getOutputStream().write(1);
        }
        limit.reach();
        recordLater();
        long end = System.nanoTime() + nanos;
        if (isStack) {
            spinAtEndOfStack(end);
        } else {
            spin(end, isAccept);
        }
        limit.leave();
        key.interestOps(0);
        first.close();
        for (Socket each : waiting) {
            each.close();
        }
    }

    private Socket connect() throws IOException {
        return new Socket(InetAddress.getLoopbackAddress(), server.socket().getLocalPort());
    }

    /** As jcmd does. */
    private void recordLater() throws Exception {
        if (isRecordedLater) {
            limit.makeSomeRoom();
            ManagementFactory.getPlatformMBeanServer().invoke(
                    new ObjectName("com.sun.management:type=DiagnosticCommand"), "jfrStart",
                    new Object[] {new String[0]}, new String[] {String[].class.getName()});
            limit.reach();
        }
    }

    private void spin(long end, boolean isAccept) {
        while (System.nanoTime() < end) {
            try {
                turn(isAccept);
            } catch (IOException | OutOfMemoryError expected) {
                errors++;
            } catch (LinkageError lost) {
                this.lost = lost;
            }
        }
    }

    private void turn(boolean isAccept) throws IOException {
        turns++;
        selector.select(100);
        selector.selectedKeys().clear();
        if (isAccept) {
            server.accept();
        }
    }

    private void spinAtEndOfStack(long end) throws InterruptedException {
        while (System.nanoTime() < end) {
            Thread thread = new Thread(null, this::descend, "deep", STACK);
            thread.start();
            thread.join();
        }
    }

    @SuppressWarnings("InfiniteRecursion") // on purpose
    private void descend() {
        try {
            descend();
        } catch (StackOverflowError end) {
            levels = 0;
        }
        if (levels < LEVELS) {
            levels++;
            try {
                turn(false);
            } catch (IOException | StackOverflowError expected) {
                errors++;
            }
        }
    }
}
