// SPDX-License-Identifier: Apache-2.0

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URL;
import java.nio.channels.Selector;

/** An application that knows nothing of Pollux: serves one request over HTTP, and says what it selected with. */
public final class App {

    private App() {
    }

    /** Ends with exit code 1, and the reason, if no selector can be opened. */
    public static void main(String[] arguments) throws IOException {
        InetAddress loopback = InetAddress.getLoopbackAddress();
        try (Selector selector = Selector.open()) {
            System.out.println("selector " + selector);
            HttpServer server = HttpServer.create(new InetSocketAddress(loopback, 0), 0);
            server.createContext("/", exchange -> {
                exchange.sendResponseHeaders(200, -1);
                exchange.close();
            });
            server.start();
            URL url = new URL("http", loopback.getHostAddress(), server.getAddress().getPort(), "/");
            try (InputStream in = url.openStream()) {
                System.out.println("answered, " + in.readAllBytes().length + " bytes");
            }
            server.stop(0);
        } catch (IOException e) {
            System.out.println("IOException " + e.getMessage());
            System.exit(1);
        }
    }
}
