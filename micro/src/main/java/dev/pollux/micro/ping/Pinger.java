// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.ping;

import com.google.gson.Gson;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

/**
 * The measured virtual machine: "WAY MODE SIZE WARM-UP SECONDS", where WAY is the first word of a way's name. All but
 * {@link Asynchronous} exchange here, by ends that wait: in one thread, and between two. No allocation per trip.
 */
final class Pinger {
    private Pinger() {
    }

    /** Prints a {@link Trips.Sample}. */
    public static void main(String[] args) throws IOException, InterruptedException, ExecutionException {
        Mode mode = Mode.valueOf(args[1]);
        int size = Integer.parseInt(args[2]);
        Trips trips = new Trips(nanos(args[3]), nanos(args[4]));
        if (args[0].equals("asynchronous")) {
            Asynchronous.exchange(mode, size, trips);
        } else {
            exchange(args[0], mode, size, trips);
        }
        System.out.println(new Gson().toJson(trips.sample()));
    }

    private static long nanos(String seconds) {
        return (long) (Double.parseDouble(seconds) * 1e9);
    }

    private static void exchange(String way, Mode mode, int size, Trips trips)
            throws IOException, InterruptedException, ExecutionException {
        try (ServerSocketChannel server = ServerSocketChannel.open()
                .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
                End near = End.of(way, prepared(SocketChannel.open(server.getLocalAddress())), size);
                End far = End.of(way, prepared(server.accept()), size)) {
            if (mode == Mode.ONE) {
                alone(near, far, trips);
            } else {
                between(near, far, mode, trips);
            }
        }
    }

    /** One thread is at both ends: what it waits for is always there already. */
    private static void alone(End near, End far, Trips trips) throws IOException {
        do {
            byte sent = near.send();
            far.receive();
            far.send();
            near.receive();
            near.check(sent);
        } while (trips.next());
    }

    /** This thread is at the near end, another one, which sends everything back, at the far end. */
    private static void between(End near, End far, Mode mode, Trips trips)
            throws IOException, InterruptedException, ExecutionException {
        FutureTask<Void> echo = new FutureTask<>(() -> {
            try (far) {         // a failure here must end the other thread's wait
                while (far.receive()) {
                    far.send();
                }
            }
            return null;
        });
        Thread ponger = new Thread(echo, Mode.PONGER);
        ponger.setDaemon(true);
        ponger.start();
        Thread.currentThread().setName(Mode.PINGER);
        mode.bind();
        do {
            byte sent = near.send();
            near.receive();
            near.check(sent);
        } while (trips.next());
        near.channel.shutdownOutput();
        echo.get();
    }

    private static SocketChannel prepared(SocketChannel channel) throws IOException {
        return channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
    }
}
