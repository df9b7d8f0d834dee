// SPDX-License-Identifier: Apache-2.0
package dev.pollux.loading.program;

import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URL;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;

/**
 * A server that knows nothing of Pollux: it answers each byte with the same byte. It is asked ten times, then fetches
 * the page that the argument names, as Prometheus would, until it shows this server, and prints it.
 */
public final class ScrapedServer {
    private static final int REQUESTS = 10;
    private static final int PAUSE_MILLIS = 200;

    private ScrapedServer() {
    }

    /** Serves, asks and prints. */
    public static void main(String[] arguments) throws Exception {
        Selector selector = Selector.open();
        ServerSocketChannel listening = ServerSocketChannel.open();
        listening.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        listening.configureBlocking(false).register(selector, SelectionKey.OP_ACCEPT);
        Thread server = new Thread(() -> serve(selector), "echo, \"the\" server");
        server.setDaemon(true);
        server.start();
        try (Socket client = new Socket(InetAddress.getLoopbackAddress(), listening.socket().getLocalPort())) {
            for (int i = 0; i < REQUESTS; i++) {
                client.getOutputStream().write(i);
                if (client.getInputStream().read() != i) {
                    throw new IOException("another byte came back");
                }
                Thread.sleep(1); // so that the server waits
            }
            print(arguments[0]);
        }
    }

    private static void serve(Selector selector) {
        try {
            while (true) {
                selector.select();
                for (SelectionKey key : selector.selectedKeys()) {
                    answer(key);
                }
                selector.selectedKeys().clear();
            }
        } catch (IOException e) {
            e.printStackTrace();
        }
    }

    private static void answer(SelectionKey key) throws IOException {
        if (key.isAcceptable()) {
            SocketChannel accepted = ((ServerSocketChannel) key.channel()).accept();
            accepted.configureBlocking(false).register(key.selector(), SelectionKey.OP_READ);
            return;
        }
        ByteBuffer bytes = ByteBuffer.allocate(1);
        SocketChannel connection = (SocketChannel) key.channel();
        if (connection.read(bytes) < 0) {
            connection.close();
        } else {
            connection.write(bytes.flip());
        }
    }

    private static void print(String address) throws IOException, InterruptedException {
        String page = fetch(address);
        while (!page.contains("slot=\"1\"")) { // slot 0 has the server of the page
            Thread.sleep(PAUSE_MILLIS);
            page = fetch(address);
        }
        System.out.println(page);
    }

    private static String fetch(String address) throws IOException {
        HttpURLConnection page = (HttpURLConnection) new URL(address).openConnection();
        return new String(page.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }
}
