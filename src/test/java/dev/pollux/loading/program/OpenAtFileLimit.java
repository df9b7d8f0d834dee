// SPDX-License-Identifier: Apache-2.0
package dev.pollux.loading.program;

import java.io.FileInputStream;
import java.io.IOException;
import java.nio.channels.spi.SelectorProvider;
import java.util.ArrayDeque;
import java.util.Deque;

/** Opens its first selector where only some more files may be opened, and again when there is room. */
public final class OpenAtFileLimit {
    private OpenAtFileLimit() {
    }

    /** Takes how many more; prints what comes of the first one, and what {@link Probe} finds afterwards. */
    public static void main(String[] arguments) throws Exception {
        SelectorProvider provider = SelectorProvider.provider();
        Deque<FileInputStream> opened = new ArrayDeque<>();
        try {
            while (true) {
                opened.push(new FileInputStream("/dev/null"));
            }
        } catch (IOException full) {
            for (int i = Integer.parseInt(arguments[0]); i > 0; i--) {
                opened.pop().close();
            }
        }
        String outcome = "opened";
        try {
            provider.openSelector().close();
        } catch (IOException e) {
            outcome = e.getMessage();
        }
        for (FileInputStream each : opened) {
            each.close();
        }
        System.out.println("first " + outcome);
        Probe.main(arguments);
    }
}
