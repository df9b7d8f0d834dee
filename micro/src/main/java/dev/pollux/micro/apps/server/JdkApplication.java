// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.apps.server;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;

/** The HTTP server that comes with the JDK. Its one thread selects and answers, unless it is given an executor. */
public final class JdkApplication implements Application {
    /** Runs it by itself, on the port that the property "port" names, as Netty's example does. */
    public static void main(String[] args) throws IOException {
        new JdkApplication().start(Integer.getInteger("port"));
    }

    @Override
    public void start(int port) throws IOException {
        // Else headers and body wait for each other for 40 ms (Nagle's algorithm and delayed acknowledgements).
        System.setProperty("sun.net.httpserver.nodelay", "true");
        byte[] hello = Application.body();
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 1024);
        server.createContext("/", exchange -> {
            try (exchange) {
                exchange.sendResponseHeaders(200, hello.length);
                exchange.getResponseBody().write(hello);
            }
        });
        server.start();
    }
}
