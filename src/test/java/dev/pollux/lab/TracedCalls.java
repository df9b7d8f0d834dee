// SPDX-License-Identifier: Apache-2.0
package dev.pollux.lab;

import java.io.IOException;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.List;
import java.util.regex.Pattern;

/** The system calls of a loop's thread, as strace has seen them, and clients that make the loop work. */
public record TracedCalls(List<String> lines) {
    public static final int CLIENTS = 5;
    public static final String EPOLL = "epoll_ctl,?epoll_wait,epoll_pwait,epoll_pwait2";

    /** What an arena makes for its turns. */
    public static final String ARENA = EPOLL + ",io_uring_enter,?accept,accept4,recvfrom,sendto,sendmsg";

    private static final Pattern WAIT = Pattern.compile("epoll_p?wait2?\\(.*");
    private static final Pattern POLL = Pattern.compile("epoll_p?wait\\(.*, 0(, NULL, 8)?\\) += .*");
    private static final Pattern RING_WAIT = Pattern.compile("io_uring_enter\\(\\d+, \\d+, 1, .*");

    private static final int REQUESTS = 40;

    private long matching(Pattern pattern) {
        return lines.stream().filter(line -> pattern.matcher(line).matches()).count();
    }

    public long waits() {
        return matching(WAIT);
    }

    public long blockedWaits() {
        return waits() - matching(POLL) + matching(RING_WAIT);
    }

    public long changes() {
        return lines.stream().filter(line -> line.startsWith("epoll_ctl(")).count();
    }

    /** One client after the other, each with requests that follow each other, or come together. */
    public static Job<Void> clients(SocketAddress address) {
        return new Job<>(() -> {
            for (int i = 0; i < CLIENTS; i++) {
                talk(address);
            }
            return null;
        });
    }

    private static void talk(SocketAddress address) throws IOException {
        try (SocketChannel client = SocketChannel.open(address)) {
            for (int i = 0; i < REQUESTS; i++) {
                ByteBuffer bytes = ByteBuffer.allocate(i % 3 + 1);
                client.write(bytes);
                for (bytes.clear(); bytes.hasRemaining();) {
                    client.read(bytes);
                }
            }
        }
    }
}
