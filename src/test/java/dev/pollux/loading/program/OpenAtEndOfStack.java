// SPDX-License-Identifier: Apache-2.0
package dev.pollux.loading.program;

import java.io.IOException;
import java.nio.channels.spi.SelectorProvider;

/** Opens its first selector, or Poller, where the stack ends, a little earlier each time, until that succeeds. */
public final class OpenAtEndOfStack {
    private static SelectorProvider provider;
    private static boolean pollers;
    private static boolean opened;
    private static int overflows;

    private OpenAtEndOfStack() {
    }

    /** Takes what to open; prints whether there was an overflow at all, and then what {@link Probe} finds. */
    public static void main(String[] arguments) throws Exception {
        pollers = arguments[0].equals("poller");
        provider = SelectorProvider.provider();
        Thread thread = new Thread(null, OpenAtEndOfStack::dive, "deep", 512 * 1024);
        thread.start();
        thread.join();
        System.out.println("overflowed " + (overflows > 0) + ", then opened " + opened);
        open();
        Probe.main(arguments);
    }

    @SuppressWarnings("InfiniteRecursion") // on purpose
    private static void dive() {
        try {
            dive();
        } catch (StackOverflowError end) {
            overflows++;
        }
        if (!opened) {
            try {
                open();
                opened = true;
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    private static void open() throws IOException {
        if (pollers) {
            new dev.pollux.Poller().close();
        } else {
            provider.openSelector().close();
        }
    }
}
