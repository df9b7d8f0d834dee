// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.count;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * What went wrong while Pollux looked at loops, or told of them. That must not break a loop, so it is caught; and it
 * must not be lost, so it is counted here, and the first of each kind is kept until the log has said it. Safe for use
 * by many threads. Keeps texts alone. Allocates when there is something to keep.
 */
public final class Unexpected {
    /** No more kinds are kept. All are counted. */
    private static final int MAX_KINDS = 32;

    /** Calls of a stack that are told. */
    private static final int MAX_CALLS = 12;

    private static long count;

    /** What has come: what was done then, and the class of what was thrown. No boxed numbers: memory may be short. */
    private static final Set<String> KINDS = new TreeSet<>();

    private static final List<String> UNSAID = new ArrayList<>();

    private Unexpected() {
    }

    /**
     * Something was thrown that is kept from the application.
     *
     * @param doing what was done then, as a noun: "a look at loops"
     */
    public static void caught(String doing, Throwable thrown) {
        String kind = "";
        String text = "";
        try { // what is thrown may be of a class of the program's: without a lock
            kind = doing + ": " + thrown.getClass().getName();
            text = describe(doing, thrown);
        } catch (RuntimeException | Error e) {
            // at a limit of memory, or its text fails: it is counted
        }
        keep(kind, text);
    }

    private static synchronized void keep(String kind, String text) {
        count++;
        if (KINDS.size() < MAX_KINDS && KINDS.add(kind)) {
            UNSAID.add(text.isEmpty() ? "Pollux has caught what can't be told" : text);
        }
    }

    private static String describe(String doing, Throwable thrown) {
        String head = thrown instanceof VirtualMachineError ? "There was too little memory, or stack, for "
                : "Caught, so that the application goes on; please report it if it is Pollux's own, in ";
        StringBuilder text = new StringBuilder(head).append(doing).append(": ").append(Printable.of(thrown));
        StackTraceElement[] calls = thrown.getStackTrace();
        for (int i = 0; i < Math.min(MAX_CALLS, calls.length); i++) {
            text.append(i == 0 ? " at " : " < ").append(calls[i]);
        }
        return text.toString();
    }

    public static synchronized long count() {
        return count;
    }

    /** {@return a text for the log of each kind that was caught for the first time since the last call} */
    public static synchronized List<String> takeUnsaid() {
        List<String> texts = new ArrayList<>(UNSAID);
        UNSAID.clear();
        return texts;
    }
}
