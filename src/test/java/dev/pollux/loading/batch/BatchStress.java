// SPDX-License-Identifier: Apache-2.0
package dev.pollux.loading.batch;

import dev.pollux.loading.batch.BatchedReplies.Way;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Clients of {@link BatchedReplies} that check each byte: they send requests one by one, many at once, or in pieces;
 * read slowly; close and abort in the middle. Takes the number of replies, {@code tcp} or {@code unix}, and a seed.
 */
public final class BatchStress {
    private static final int CLIENTS = 12;
    private static final AtomicLong REPLIES = new AtomicLong();
    private static final AtomicLong BYTES = new AtomicLong();
    private static final AtomicLong ABORTED = new AtomicLong();

    private BatchStress() {
    }

    private record Request(int length, int first, Way way) {
        void put(ByteBuffer to) {
            to.putInt(length).putInt(first).putInt(way.ordinal());
        }
    }

    public static void main(String[] arguments) throws Exception {
        long replies = Long.parseLong(arguments[0]);
        boolean isUnix = arguments[1].equals("unix");
        long seed = Long.parseLong(arguments[2]);
        Path folder = Files.createTempDirectory("batch");
        ServerSocketChannel listener = isUnix ? ServerSocketChannel.open(StandardProtocolFamily.UNIX)
                : ServerSocketChannel.open();
        listener.bind(isUnix ? UnixDomainSocketAddress.of(folder.resolve("socket"))
                : new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 100);
        try (BatchedReplies server = new BatchedReplies(listener)) {
            FutureTask<Void> serving = start(() -> server.run());
            List<FutureTask<Void>> clients = new ArrayList<>();
            SocketAddress address = listener.getLocalAddress();
            for (int i = 0; i < CLIENTS; i++) {
                Random random = new Random(seed + i);
                clients.add(start(() -> {
                    while (REPLIES.get() < replies) {
                        play(address, server, random);
                    }
                }));
            }
            while (clients.stream().anyMatch(each -> !each.isDone())) {
                Thread.sleep(50);
                if (serving.isDone()) {
                    serving.get();
                    throw new AssertionError("the server ended");
                }
            }
            for (FutureTask<Void> client : clients) {
                client.get();
            }
            System.out.println(server.state());
        }
        System.out.println(REPLIES + " replies, " + BYTES + " bytes, " + ABORTED + " aborted");
        System.out.println("every byte was right");
        System.exit(0);
    }

    private interface Work {
        void run() throws Exception;
    }

    private static FutureTask<Void> start(Work work) {
        FutureTask<Void> task = new FutureTask<>(() -> {
            work.run();
            return null;
        });
        Thread thread = new Thread(task);
        thread.setDaemon(true);
        thread.start();
        return task;
    }

    /** One connection. */
    private static void play(SocketAddress address, BatchedReplies server, Random random) throws Exception {
        try (SocketChannel channel = SocketChannel.open(address)) {
            if (address instanceof InetSocketAddress) {
                channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            }
            boolean goesOn = true;
            for (int turns = random.nextInt(60); turns >= 0 && goesOn; turns--) {
                goesOn = turn(channel, server, random);
            }
            if (goesOn && random.nextInt(4) == 0) {
                abort(channel, random);
            }
        }
    }

    /** Requests and their replies; false if the connection has ended. */
    private static boolean turn(SocketChannel channel, BatchedReplies server, Random random) throws Exception {
        List<Request> requests = new ArrayList<>();
        for (int left = random.nextInt(3) == 0 ? random.nextInt(8) : 0; left >= 0; left--) {
            boolean mayEnd = left == 0 && random.nextInt(8) == 0;
            Way[] ways = Way.values();
            Way way = ways[random.nextInt(mayEnd ? ways.length : Way.SHUTDOWN.ordinal())];
            if (way == Way.SPIN && left > 0) {
                way = Way.DIRECT; // what follows may have been read already, and is no answer
            }
            requests.add(new Request(length(random, way), random.nextInt(256), way));
        }
        send(channel, requests, random);
        for (Request each : requests) {
            receive(channel, each, random);
            REPLIES.incrementAndGet();
            if (each.way() == Way.HOLD && each.length() <= 1000) {
                server.heard.release();
            } else if (each.way() == Way.SPIN) {
                send(channel, List.of(new Request(0, 0, Way.DIRECT)), random);
            }
        }
        Way last = requests.get(requests.size() - 1).way();
        if (last == Way.SHUTDOWN || last == Way.CLOSE) {
            expectEnd(channel);
            return false;
        }
        return true;
    }

    /** Where the selecting thread waits for the client, the reply must fit into the socket at once. */
    private static int length(Random random, Way way) {
        if (way == Way.HOLD || way == Way.SPIN) {
            return 1 + random.nextInt(1000);
        }
        return switch (random.nextInt(20)) {
            case 0 -> random.nextInt(BatchedReplies.LONGEST);
            case 1, 2, 3 -> 1 + random.nextInt(40_000);
            default -> 1 + random.nextInt(2000);
        };
    }

    private static void send(SocketChannel channel, List<Request> requests, Random random) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocateDirect(requests.size() * BatchedReplies.REQUEST);
        requests.forEach(each -> each.put(bytes));
        bytes.flip();
        boolean inPieces = random.nextInt(4) == 0;
        int end = bytes.limit();
        while (bytes.position() < end) {
            bytes.limit(inPieces ? Math.min(end, bytes.position() + 1 + random.nextInt(13)) : end);
            channel.write(bytes);
        }
    }

    private static void receive(SocketChannel channel, Request request, Random random) throws Exception {
        boolean slowly = request.length() > 20_000 && random.nextInt(3) == 0;
        ByteBuffer bytes = ByteBuffer.allocateDirect(slowly ? 5000 : 65_536);
        for (int place = 0; place < request.length(); ) {
            bytes.clear().limit(Math.min(bytes.capacity(), request.length() - place));
            if (slowly) {
                Thread.sleep(1);
            }
            int n = channel.read(bytes);
            if (n < 0) {
                throw new AssertionError(request + " ended after " + place + " bytes");
            }
            bytes.flip();
            for (int i = 0; i < n; i++, place++) {
                if (bytes.get() != (byte) (request.first() + place)) {
                    throw new AssertionError(request + " is wrong at " + place);
                }
            }
            BYTES.addAndGet(n);
        }
    }

    private static void expectEnd(SocketChannel channel) throws IOException {
        int n = channel.read(ByteBuffer.allocate(1));
        if (n >= 0) {
            throw new AssertionError("bytes after the end");
        }
    }

    /** Goes away while replies are under way. */
    private static void abort(SocketChannel channel, Random random) throws IOException {
        List<Request> requests = new ArrayList<>();
        for (int i = random.nextInt(8); i >= 0; i--) {
            requests.add(new Request(random.nextInt(100_000), 0, Way.values()[random.nextInt(Way.SPIN.ordinal())]));
        }
        send(channel, requests, random);
        channel.read(ByteBuffer.allocateDirect(1 + random.nextInt(1000)));
        if (channel.getRemoteAddress() instanceof InetSocketAddress && random.nextBoolean()) {
            channel.setOption(StandardSocketOptions.SO_LINGER, 0);
        }
        ABORTED.incrementAndGet();
    }
}
