// SPDX-License-Identifier: Apache-2.0
package dev.pollux.loading.program;

import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.Pipe;
import java.nio.channels.spi.SelectorProvider;
import java.util.ArrayDeque;
import java.util.Deque;

/** Opens things of one kind until the process may open no more, closes them, and does so again, with as many. */
public final class OpenUntilFull {

    private static final int MORE_THAN_THE_LIMIT = 1000;
    private static final int TRIES = 10;

    private OpenUntilFull() {
    }

    /** Takes the kind; prints the exception, and whether as many open later. */
    public static void main(String[] arguments) throws IOException {
        SelectorProvider provider = SelectorProvider.provider();
        open(provider, arguments[0]).close(); // what is needed once is opened now
        int first = fill(provider, arguments[0]);
        // The VM itself has a file open now and then, of a control group's for one. What is lost stays lost.
        StringBuilder then = new StringBuilder();
        for (int i = 0; i < TRIES; i++) {
            int again = fill(provider, arguments[0]);
            if (again >= first) {
                System.out.println("works again");
                return;
            }
            then.append(' ').append(again);
        }
        System.out.println("first " + first + ", then" + then);
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
