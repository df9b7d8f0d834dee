// SPDX-License-Identifier: Apache-2.0
package dev.pollux.compatibility;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * Tries one framework in this virtual machine, and prints what it has seen as one line of JSON. It does not end the
 * machine: that must happen by itself, else the framework was not shut down.
 */
public final class Trial {
    private static final long PATIENCE = TimeUnit.SECONDS.toNanos(10);

    private Trial() {
    }

    /** Tries it. If anything fails, the machine ends with status 1. */
    public static void run(Framework framework) {
        try {
            System.out.println(seen(framework));
        } catch (Throwable e) {
            e.printStackTrace();
            System.err.flush();
            Runtime.getRuntime().halt(1);
        }
    }

    private static String seen(Framework framework) throws Exception {
        Set<Thread> before = new HashSet<>(Thread.getAllStackTraces().keySet());
        framework.start();
        long answers = framework.drive();
        Map<String, Integer> selectors = Selectors.byClass();
        long selections = Selectors.sum("Selections");
        framework.stop();
        List<Thread> left = leftOf(before);
        long open = Selectors.open();
        List<String> fields = new ArrayList<>(List.of("\"answers\":" + answers, "\"selections\":" + selections,
                "\"open\":" + open, "\"threads\":\"" + names(left, thread -> !isHarmless(thread)) + '"',
                "\"daemons\":\"" + names(left, Trial::isHarmless) + '"'));
        selectors.forEach((name, number) -> fields.add('"' + name + "\":" + number));
        return "{" + String.join(",", fields) + "}";
    }

    /** Waits until the threads that were started have ended; returns those that don't. */
    private static List<Thread> leftOf(Set<Thread> before) throws InterruptedException {
        long deadline = System.nanoTime() + PATIENCE;
        while (true) {
            List<Thread> left = new ArrayList<>();
            for (Thread thread : Thread.getAllStackTraces().keySet()) {
                if (!before.contains(thread) && thread != Thread.currentThread() && isApplications(thread)) {
                    left.add(thread);
                }
            }
            if (left.isEmpty() || System.nanoTime() > deadline) {
                return left;
            }
            Thread.sleep(50);
        }
    }

    /** Whether it keeps nothing alive: a daemon that does not select. */
    private static boolean isHarmless(Thread thread) {
        return thread.isDaemon() && Arrays.stream(thread.getStackTrace())
                .noneMatch(frame -> frame.getClassName().equals("sun.nio.ch.SelectorImpl"));
    }

    private static String names(List<Thread> threads, Predicate<Thread> which) {
        return threads.stream().filter(which).map(Thread::getName).sorted().collect(Collectors.joining(", "))
                .replace('"', '\'');
    }

    /** Whether it is no thread of the JDK's own, which stay as long as they like. */
    private static boolean isApplications(Thread thread) {
        ThreadGroup group = thread.getThreadGroup();
        return group != null && !group.getName().equals("system") && !group.getName().equals("InnocuousThreadGroup")
                && !thread.getName().startsWith("ForkJoinPool.commonPool-");
    }
}
