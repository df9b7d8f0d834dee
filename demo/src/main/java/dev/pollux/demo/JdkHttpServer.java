// SPDX-License-Identifier: Apache-2.0
package dev.pollux.demo;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;

/** Starts the HTTP server that comes with the JDK; it has no main class of its own before JDK 18. */
final class JdkHttpServer {
    private JdkHttpServer() {
    }

    public static void main(String[] args) throws IOException {
        // Else headers and body wait for each other for 40 ms (Nagle's algorithm and delayed acknowledgements).
        System.setProperty("sun.net.httpserver.nodelay", "true");
        byte[] hello = Load.BODY.getBytes(StandardCharsets.US_ASCII);
        var address = new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.getInteger("port"));
        HttpServer server = HttpServer.create(address, 1024);
        server.createContext("/", exchange -> {
            try (exchange) {
                exchange.sendResponseHeaders(200, hello.length);
                exchange.getResponseBody().write(hello);
            }
        });
        server.start();
    }
}
