// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.verdict;

import dev.pollux.internal.count.Printable;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.util.function.Consumer;

/**
 * What a thread does, for a log to print after a message, and behind it what another thread does that it waits for. It
 * has no stack of its own, which would keep the classes of its calls alive. Prints all calls of both: the usual way
 * leaves out those that both end with, which are most of what an operator wants to see.
 */
@SuppressWarnings("OverrideThrowableToString") // the message is right; what stands before it, the class, tells nothing
public final class ShownStack extends Throwable {
    private static final long serialVersionUID = 1;

    /** {@return the calls of the thread with this name, innermost first} */
    public static ShownStack of(String threadName, StackTraceElement... calls) {
        return new ShownStack("thread \"" + Printable.of(threadName) + '"', calls);
    }

    ShownStack(String message, StackTraceElement... calls) {
        super(message);
        setStackTrace(calls);
    }

    @Override
    public synchronized Throwable fillInStackTrace() {
        return this;
    }

    @Override
    public void printStackTrace(PrintStream out) {
        print(out::println);
    }

    @Override
    public void printStackTrace(PrintWriter out) {
        print(out::println);
    }

    private void print(Consumer<String> out) {
        printOne(this, "", out);
        for (Throwable other : getSuppressed()) {
            printOne(other, "\tSuppressed: ", out);
        }
    }

    private static void printOne(Throwable stack, String before, Consumer<String> out) {
        out.accept(before + stack);
        for (StackTraceElement call : stack.getStackTrace()) {
            out.accept((before.isEmpty() ? "\tat " : "\t\tat ") + call);
        }
    }

    /** As logs have always shown it. */
    @Override
    public String toString() {
        return "java.lang.Throwable: " + getMessage();
    }
}
