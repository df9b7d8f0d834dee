// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.tell;

/** A warning of a loop's own thread, on its way to the log. No lambda: its first use may fail. */
record Saying(String message) implements Runnable {
    @Override
    public void run() {
        WarningLog.REFUSALS.warn(message, null);
    }
}
