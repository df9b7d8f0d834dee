// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.top;

import java.io.IOException;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A limit to the time that another process may take to answer. A process that was stopped by a signal keeps its
 * connections, and neither the Attach API nor a socket ever tells. Immutable.
 */
record Timeout(long millis) {
    /** Long enough for a busy machine and for most pauses of a garbage collector. */
    static final Timeout DEFAULT = new Timeout(TimeUnit.SECONDS.toMillis(20));

    /** Does this in a daemon thread. If the time is up that goes on, and ends with the virtual machine. */
    <T> T limit(Target target, Callable<T> question) throws IOException, InterruptedException {
        FutureTask<T> answer = new FutureTask<>(question);
        Thread thread = new Thread(answer, "question");
        thread.setDaemon(true);
        thread.start();
        try {
            return answer.get(millis, TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            throw target.cannot("it has not answered for " + millis / 1000 + " s. It may have been stopped by a signal"
                    + " (kill -CONT " + target.pid() + " continues it), be in a long pause of its garbage"
                    + " collector, or run with -XX:+DisableAttachMechanism");
        } catch (ExecutionException e) {
            throw e.getCause() instanceof IOException failure ? failure : new IOException(e.getCause());
        }
    }
}
