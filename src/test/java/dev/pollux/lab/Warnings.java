// SPDX-License-Identifier: Apache-2.0
package dev.pollux.lab;

import dev.pollux.internal.tell.WarningLimit;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** What Pollux logs, until it is closed. */
public final class Warnings extends Handler implements AutoCloseable {

    private final Logger logger = Logger.getLogger("dev.pollux");
    private final List<LogRecord> records = new CopyOnWriteArrayList<>();

    public Warnings() {
        WarningLimit.reset();
        logger.addHandler(this);
        logger.setUseParentHandlers(false);
    }

    public List<String> messages() {
        return records.stream().map(LogRecord::getMessage).toList();
    }

    public List<LogRecord> records() {
        return records;
    }

    /** {@return the first message with these words, for which it waits} */
    public String await(long seconds, String words) throws InterruptedException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
        while (System.nanoTime() < end) {
            for (String message : messages()) {
                if (message.contains(words)) {
                    return message;
                }
            }
            Thread.sleep(10);
        }
        throw new AssertionError("not said: " + words + "; but " + messages());
    }

    @Override
    public void publish(LogRecord logged) {
        records.add(logged);
    }

    @Override
    public void flush() {
    }

    @Override
    public void close() {
        logger.removeHandler(this);
        logger.setUseParentHandlers(true);
    }
}
