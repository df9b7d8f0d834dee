// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.bench;

import dev.pollux.micro.harness.Child;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import picocli.CommandLine.Command;

/**
 * Counts the system calls of single operations with strace, on the JDK's providers and on Pollux's, and ends with 1 if
 * Pollux makes another number than it promises. The last line is "N passed, N failed". Used by one thread.
 */
@Command(name = "syscalls", mixinStandardHelpOptions = true, description = "System calls of single operations; fails if"
        + " Pollux makes more than it promises.")
public final class Syscalls implements Callable<Integer> {
    /** How often a traced process repeats the operation: too few to be taken for a wakeup storm. */
    private static final int FEW = 1000;
    private static final int MANY = 3000;
    private static final double SLACK = 0.02;

    /**
     * Lines of strace: waits, changes, reads and writes. What reads files does not count: the virtual machine loads
     * classes, and looks at the limits of its container, whenever it likes.
     */
    private static final List<Pattern> KINDS = Stream.of("(epoll_p?wait2?|p?poll)\\(", "epoll_ctl\\(",
            "(read|write)\\(\\d+<(pipe|socket|anon_inode|UNIX|TCP)").map(call -> Pattern.compile("^\\d+ +" + call))
            .toList();

    private int right;
    private int wrong;

    private interface Operation {
        void run() throws IOException;
    }

    @Override
    public Integer call() throws IOException {
        System.out.printf("%-22s %-34s %6s %9s %10s%n", "operation", "provider", "wait", "epoll_ctl", "read+write");
        compare("wakeup-select", 1, 0, 0);
        compare("select-one", 1, 0, 1);
        compare("off-on-select", 1, 0, 0);
        compare("off-select-on-select", 2, 0, 0);
        System.out.println(right + " passed, " + wrong + " failed");
        return wrong == 0 ? 0 : 1;
    }

    /** Arguments: the operation, and how many calls of each kind Pollux promises. */
    private void compare(String operation, int... promised) throws IOException {
        for (String mechanism : List.of("EPoll", "Poll")) {
            count("sun.nio.ch." + mechanism + "SelectorProvider", operation);
            count("dev.pollux." + mechanism + "SelectorProvider", operation, promised);
        }
    }

    /** What two runs of different length differ by belongs to the operation, the rest to the start. */
    private void count(String provider, String operation, int... promised) throws IOException {
        long[] few = trace(provider, operation, FEW);
        long[] many = trace(provider, operation, MANY);
        List<Double> each = new ArrayList<>();
        boolean isRight = true;
        for (int kind = 0; kind < few.length; kind++) {
            double calls = (double) (many[kind] - few[kind]) / (MANY - FEW);
            each.add(Math.abs(calls) > SLACK ? calls : 0);   // the start varies a little
            isRight &= promised.length == 0 || Math.abs(calls - promised[kind]) <= SLACK;
        }
        System.out.printf(Locale.ROOT, "%-22s %-34s %6.2f %9.2f %10.2f  %s%n", operation, provider, each.get(0),
                each.get(1), each.get(2), promised.length == 0 ? "" : isRight ? "as promised" : "WRONG");
        if (promised.length > 0 && isRight) {
            right++;
        } else if (!isRight) {
            wrong++;
        }
    }

    private static long[] trace(String provider, String operation, int times) throws IOException {
        Path trace = Files.createTempFile("pollux-micro-", ".trace");
        try {
            List<String> command = new ArrayList<>(List.of("strace", "-f", "--seccomp-bpf", "-y", "-e",
                    "trace=epoll_wait,epoll_pwait,epoll_pwait2,epoll_ctl,poll,ppoll,read,write", "-o",
                    trace.toString()));
            command.addAll(Child.java(List.of("--add-exports=java.base/sun.nio.ch=ALL-UNNAMED"), Syscalls.class,
                    provider, operation, "" + times));
            Child.output(command);
            List<String> lines = Files.readAllLines(trace);
            return KINDS.stream().mapToLong(kind -> lines.stream().filter(line -> kind.matcher(line).find()).count())
                    .toArray();
        } finally {
            Files.delete(trace);
        }
    }

    /** The traced virtual machine: {@code PROVIDER OPERATION TIMES}. */
    public static void main(String[] args) throws IOException {
        try (Sockets sockets = new Sockets(args[0])) {
            Operation operation = operation(args[1], sockets);
            for (int left = Integer.parseInt(args[2]); left > 0; left--) {
                operation.run();
            }
        }
    }

    private static Operation operation(String name, Sockets sockets) throws IOException {
        Selector selector = sockets.selector;
        return switch (name) {
            case "wakeup-select" -> () -> Setting.equal(0, selector.wakeup().select());
            case "select-one" -> selectOne(sockets);
            case "off-select-on-select" -> toggle(sockets, true);
            default -> toggle(sockets, false);
        };
    }

    /** One ready channel of two. It is written to: Pollux would warn of a ready channel that is not used. */
    private static Operation selectOne(Sockets sockets) throws IOException {
        Selector selector = sockets.register(1, 0, SelectionKey.OP_READ).register(1, 0, SelectionKey.OP_WRITE).selector;
        SocketChannel writable = sockets.idle.get(1);
        ByteBuffer one = ByteBuffer.allocateDirect(1);
        return () -> {
            Setting.equal(1, selector.select(key -> { }));
            Setting.equal(1, writable.write(one.clear()));
        };
    }

    /** Read interest taken away and given back, around selections that find nothing. */
    private static Operation toggle(Sockets sockets, boolean selectBetween) throws IOException {
        Selector selector = sockets.register(1, 0, SelectionKey.OP_READ).selector;
        SelectionKey key = sockets.idleKey();
        return () -> {
            key.interestOps(0);
            if (selectBetween) {
                Setting.equal(0, selector.selectNow());
            }
            key.interestOps(SelectionKey.OP_READ);
            Setting.equal(0, selector.selectNow());
        };
    }
}
