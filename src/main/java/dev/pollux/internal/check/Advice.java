// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.check;

import dev.pollux.internal.tool.Bench;
import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketException;
import java.util.Locale;

/** What to do about a check that has failed. Stateless. */
final class Advice {
    private Advice() {
    }

    /** {@return what has happened, and what to do} */
    static String of(Throwable failure) {
        String text = failure.getClass() == IOException.class ? failure.getMessage() : failure.toString();
        String message = text.toLowerCase(Locale.ROOT);
        if (message.contains("too many open files")) {
            return text + ". Raise the limit of open files (ulimit -n)";
        } else if (message.contains("permission denied") || message.contains("not permitted")) {
            return text + ". Something forbids it here: a sandbox, a filter of system calls, a security manager?";
        } else if (failure instanceof ConnectException || failure instanceof SocketException) {
            return text + ". The checks need the loopback address " + Bench.loopback().getHostAddress();
        } else if (message.startsWith("broken: ")) {
            return text.substring("broken: ".length()) + ": this promise is broken";
        }
        return text;
    }
}
