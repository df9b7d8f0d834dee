// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.tell;

import java.util.logging.Formatter;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** Has the JDK's formatters of log messages load what they need. Needs the module {@code java.logging}. Stateless. */
final class JdkFormatters {
    private JdkFormatters() {
    }

    /** Formats a message as often as there are formatters of the JDK. It goes nowhere, and to none of a program's. */
    static void use() {
        LogRecord record = new LogRecord(Level.WARNING, WarningLog.NAME);
        record.setLoggerName(WarningLog.NAME);
        record.setThrown(new Throwable(WarningLog.NAME));
        for (Logger logger = Logger.getLogger(WarningLog.NAME); logger != null; logger = logger.getParent()) {
            for (Handler handler : logger.getHandlers()) {
                Formatter formatter = handler.getFormatter();
                if (formatter != null && formatter.getClass().getName().startsWith("java.util.logging.")) {
                    formatter.format(record);
                }
            }
        }
    }
}
