// SPDX-License-Identifier: Apache-2.0
package dev.pollux.compatibility;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/**
 * The load that servers get: connections that stay, answers of a megabyte, clients that leave in different ways. Every
 * answer must be what was sent.
 */
final class Load {
    private static final int CONNECTIONS = 16;
    private static final int REQUESTS = 400;
    private static final int SMALL = 200;
    private static final int BIG_REQUESTS = 4;
    private static final int BIG = 1 << 20;
    private static final int VISITS = 25;
    private static final int TIMEOUT_MILLIS = 30_000;

    private final int port;
    private final Protocol protocol;

    private Load(int port, Protocol protocol) {
        this.port = port;
        this.protocol = protocol;
    }

    /** How requests and answers look on a connection. */
    interface Protocol {
        Exchange on(Socket socket) throws IOException;
    }

    /** What a client does. */
    private interface Client {
        long run() throws IOException;
    }

    /**
     * Drives the server on that port of the loopback address.
     *
     * @return how many answers came
     */
    static long on(int port, Protocol protocol) throws Exception {
        Load load = new Load(port, protocol);
        List<Client> clients = new ArrayList<>();
        for (int i = 0; i < CONNECTIONS; i++) {
            clients.add(load::stay);
        }
        clients.add(load::askForMuch);
        clients.add(load::askForMuch);
        clients.add(() -> load.visit(socket -> socket.close()));
        clients.add(() -> load.visit(Load::halfClose));
        clients.add(() -> load.visit(socket -> socket.setSoLinger(true, 0)));
        return sum(clients);
    }

    private static long sum(List<Client> clients) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(clients.size());
        try {
            List<Future<Long>> all = new ArrayList<>();
            for (Client client : clients) {
                all.add(threads.submit(client::run));
            }
            long sum = 0;
            for (Future<Long> one : all) {
                sum += one.get();
            }
            return sum;
        } catch (ExecutionException e) {
            throw new IOException("a client found something wrong", e.getCause());
        } finally {
            threads.shutdownNow();
            threads.awaitTermination(1, TimeUnit.MINUTES);
        }
    }

    private Socket connect() throws IOException {
        Socket socket = new Socket(InetAddress.getByName("127.0.0.1"), port);
        socket.setTcpNoDelay(true);
        socket.setSoTimeout(TIMEOUT_MILLIS);
        return socket;
    }

    private long stay() throws IOException {
        try (Socket socket = connect()) {
            Exchange exchange = protocol.on(socket);
            for (int i = 0; i < REQUESTS; i++) {
                ask(exchange, SMALL + i % SMALL);
            }
        }
        return REQUESTS;
    }

    private long askForMuch() throws IOException {
        try (Socket socket = connect()) {
            Exchange exchange = protocol.on(socket);
            for (int i = 0; i < BIG_REQUESTS; i++) {
                ask(exchange, BIG + i);
            }
        }
        return BIG_REQUESTS;
    }

    /** How a client leaves after one answer. */
    private interface Leaving {
        void from(Socket socket) throws IOException;
    }

    private long visit(Leaving leaving) throws IOException {
        for (int i = 0; i < VISITS; i++) {
            try (Socket socket = connect()) {
                ask(protocol.on(socket), SMALL);
                leaving.from(socket);
            }
        }
        return VISITS;
    }

    /** The server learns that no more will come, and must close the connection. */
    private static void halfClose(Socket socket) throws IOException {
        socket.shutdownOutput();
        if (socket.getInputStream().read() >= 0) {
            throw new IOException("bytes after the last answer");
        }
    }

    /** A big request is sent by a thread of its own: the answer may begin before the server has all of it. */
    private static void ask(Exchange exchange, int length) throws IOException {
        byte[] body = new byte[length];
        new Random(length).nextBytes(body);
        Thread sender = null;
        if (length < BIG) {
            exchange.send(body);
        } else {
            sender = new Thread(() -> sendQuietly(exchange, body));
            sender.start();
        }
        byte[] answer = exchange.receive(length);
        if (!Arrays.equals(answer, body)) {
            throw new IOException(length + " bytes were sent, and other " + answer.length + " came back");
        }
        if (sender != null) {
            joinWith(sender);
        }
    }

    private static void sendQuietly(Exchange exchange, byte[] body) {
        try {
            exchange.send(body);
        } catch (IOException e) {
            e.printStackTrace(); // who receives finds that the answer does not come
        }
    }

    private static void joinWith(Thread sender) throws IOException {
        try {
            sender.join();
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
    }
}
