// SPDX-License-Identifier: Apache-2.0
package dev.pollux.loading.program;

import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.Pipe;
import java.nio.channels.spi.SelectorProvider;
import java.util.ArrayDeque;
import java.util.Deque;

/** Opens things of one kind until the process may open no more, closes them, and does so again. */
public final class OpenUntilFull {

    private static final int MORE_THAN_THE_LIMIT = 1000;

    private OpenUntilFull() {
    }

    /** Takes the kind; prints the exception, and whether as many open the second time. */
    public static void main(String[] arguments) throws IOException {
        SelectorProvider provider = SelectorProvider.provider();
        open(provider, arguments[0]).close(); // what is needed once is opened now
        int first = fill(provider, arguments[0]);
        int second = fill(provider, arguments[0]);
        // The VM may have had a file open the first time, of a control group's for one.
        System.out.println(second >= first ? "works again" : "first " + first + ", then " + second);
    }

    private static int fill(SelectorProvider provider, String kind) throws IOException {
        Deque<Closeable> opened = new ArrayDeque<>();
        String message = "no limit";
        try {
            while (opened.size() < MORE_THAN_THE_LIMIT) {
                opened.push(open(provider, kind));
            }
        } catch (IOException full) {
            message = full.getMessage();
        }
        int count = opened.size();
        for (Closeable each : opened) {
            each.close();
        }
        System.out.println(message);
        return count;
    }

    private static Closeable open(SelectorProvider provider, String kind) throws IOException {
        return switch (kind) {
            case "selector" -> provider.openSelector();
            case "socket" -> provider.openSocketChannel();
            case "server" -> provider.openServerSocketChannel();
            case "datagram" -> provider.openDatagramChannel();
            default -> {
                Pipe pipe = provider.openPipe();
                yield () -> {
                    pipe.source().close();
                    pipe.sink().close();
                };
            }
        };
    }
}
