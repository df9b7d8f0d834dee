// SPDX-License-Identifier: Apache-2.0
package dev.pollux.compatibility.framework;

import dev.pollux.compatibility.HttpServer;
import dev.pollux.compatibility.Trial;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.apache.catalina.Context;
import org.apache.catalina.connector.Connector;
import org.apache.catalina.startup.Tomcat;

/** Tomcat with its default connector, which is the NIO one, and one servlet. */
public final class Main implements HttpServer {
    private final Tomcat tomcat = new Tomcat();
    private final Connector connector = new Connector();

    public static void main(String[] arguments) {
        Trial.run(new Main());
    }

    @Override
    public void start() throws Exception {
        connector.setPort(0);
        connector.setProperty("address", "127.0.0.1");
        // Else every connection ends after 100 requests.
        connector.setProperty("maxKeepAliveRequests", "-1");
        tomcat.setBaseDir(System.getProperty("java.io.tmpdir"));
        tomcat.setConnector(connector);
        Context context = tomcat.addContext("", null);
        Tomcat.addServlet(context, "echo", new Echo()).addMapping("/");
        tomcat.start();
    }

    @Override
    public int port() {
        return connector.getLocalPort();
    }

    @Override
    public void stop() throws Exception {
        tomcat.stop();
        tomcat.destroy();
    }

    /** Stateless. */
    private static final class Echo extends HttpServlet {
        private static final long serialVersionUID = 1;

        @Override
        protected void doPost(HttpServletRequest request, HttpServletResponse response) throws IOException {
            byte[] body = request.getInputStream().readAllBytes();
            response.setContentLength(body.length);
            response.getOutputStream().write(body);
        }
    }
}
