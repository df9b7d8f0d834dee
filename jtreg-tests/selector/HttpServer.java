// SPDX-License-Identifier: Apache-2.0

/*
 * @test id=epoll
 * @summary the HTTP server and the HTTP client of the JDK talk to each other, both on our selectors
 * @modules jdk.httpserver java.net.http
 * @library /lib
 * @run main/othervm -Dsun.net.httpserver.nodelay=true
 *     -Djava.nio.channels.spi.SelectorProvider=dev.pollux.EPollSelectorProvider HttpServer
 */

/*
 * @test id=poll
 * @summary the HTTP server and the HTTP client of the JDK talk to each other, both on our selectors
 * @modules jdk.httpserver java.net.http
 * @library /lib
 * @run main/othervm -Dsun.net.httpserver.nodelay=true
 *     -Djava.nio.channels.spi.SelectorProvider=dev.pollux.PollSelectorProvider HttpServer
 */

import com.sun.net.httpserver.HttpExchange;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

public class HttpServer {

    private static final int BATCHES = 40;
    private static final int AT_A_TIME = 50;

    public static void main(String[] args) throws Exception {
        Check.open().close();
        ExecutorService workers = Executors.newFixedThreadPool(4);
        var server = com.sun.net.httpserver.HttpServer.create(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(workers);
        server.createContext("/", HttpServer::echo);
        server.start();
        try {
            URI uri = URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/");
            HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
            for (int i = 0; i < BATCHES; i++) {
                batch(client, uri, i);
            }
        } finally {
            server.stop(0);
            workers.shutdown();
        }
    }

    private static void echo(HttpExchange exchange) throws IOException {
        try (exchange; InputStream in = exchange.getRequestBody(); OutputStream out = exchange.getResponseBody()) {
            byte[] body = in.readAllBytes();
            exchange.sendResponseHeaders(200, body.length);
            out.write(body);
        }
    }

    private static void batch(HttpClient client, URI uri, int batch) throws Exception {
        List<CompletableFuture<Void>> answers = new ArrayList<>();
        for (int i = 0; i < AT_A_TIME; i++) {
            String body = ("request " + batch + '.' + i + ' ').repeat(1 + i * 20);
            HttpRequest request = HttpRequest.newBuilder(uri).POST(BodyPublishers.ofString(body)).build();
            answers.add(client.sendAsync(request, BodyHandlers.ofString()).thenAccept(response -> {
                Check.same(200, response.statusCode(), "status");
                Check.same(body, response.body(), "body");
            }));
        }
        CompletableFuture.allOf(answers.toArray(new CompletableFuture<?>[0])).get(90, TimeUnit.SECONDS);
    }
}
