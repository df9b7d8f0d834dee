// SPDX-License-Identifier: Apache-2.0
package dev.pollux.loading.calls;

import dev.pollux.PolluxSelectorProvider;
import java.io.IOException;

/**
 * What calls came to, one line for each: the result, or what was thrown with its text and where. Two virtual machines
 * that make the same calls must write the same lines.
 */
final class Transcript {

    /** Marks the line that says which native methods are replaced; not part of the transcript. */
    static final String REPLACED = "replaced: ";

    private static final int FRAMES = 3;

    private Transcript() {
    }

    /** A call, or several, with a result. */
    interface Call {
        Object make() throws Exception;
    }

    /** Starts Pollux, as the first selector does. The JDK's selectors stay the default. */
    static void start() throws IOException {
        new PolluxSelectorProvider().openSelector().close();
        System.out.println(REPLACED + System.getProperty("dev.pollux.calls.replaced"));
    }

    static void write(String what, Call call) {
        System.out.println(what + ": " + outcome(call));
    }

    static String outcome(Call call) {
        try {
            return String.valueOf(call.make());
        } catch (Throwable e) {
            return describe(e);
        }
    }

    private static String describe(Throwable e) {
        StringBuilder text = new StringBuilder(e.getClass().getName() + ": " + e.getMessage());
        StackTraceElement[] stack = e.getStackTrace();
        for (int i = 0; i < Math.min(FRAMES, stack.length); i++) {
            text.append(" < ").append(stack[i]);
        }
        if (e.getCause() != null) {
            text.append(", caused by ").append(describe(e.getCause()));
        }
        for (Throwable suppressed : e.getSuppressed()) {
            text.append(", suppressed ").append(describe(suppressed));
        }
        return text.toString();
    }
}
