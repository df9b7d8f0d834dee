// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.bench;


import java.io.FileInputStream;
import java.io.IOException;
import java.nio.channels.Selector;
import java.nio.channels.spi.SelectorProvider;

/** Opens the first selector of a VM, and prints how many nanoseconds passed, and how many of them this thread ran. */
public final class FirstOpen {
    private FirstOpen() {
    }

    public static void main(String[] arguments) throws IOException {
        ran(); // what it loads is not ours
        long ranBefore = ran();
        long before = System.nanoTime();
        Selector selector = SelectorProvider.provider().openSelector();
        long after = System.nanoTime();
        long ranAfter = ran();
        // No concatenation: javac makes a call of it that loads a hundred classes.
        System.out.print(after - before);
        System.out.print(' ');
        System.out.print(ranAfter - ranBefore);
        System.out.print(' ');
        System.out.println(selector.getClass().getName());
    }

    /** The first number in schedstat: see proc(5), and Documentation/scheduler/sched-stats.rst of the kernel. */
    private static long ran() throws IOException {
        try (FileInputStream in = new FileInputStream("/proc/thread-self/schedstat")) {
            long ran = 0;
            for (int digit = in.read(); digit >= '0'; digit = in.read()) {
                ran = ran * 10 + digit - '0';
            }
            return ran;
        }
    }
}
