// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.apps.server;

import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.apache.catalina.Context;
import org.apache.catalina.connector.Connector;
import org.apache.catalina.startup.Tomcat;
import org.apache.catalina.util.ServerInfo;

/** Tomcat with its default connector, which is the NIO one, and one servlet. */
final class TomcatApplication implements Application {
    @Override
    public void start(int port) throws Exception {
        Tomcat tomcat = new Tomcat();
        Connector connector = new Connector();
        connector.setPort(port);
        connector.setProperty("address", "127.0.0.1");
        // Else every connection ends after 100 requests.
        connector.setProperty("maxKeepAliveRequests", "-1");
        connector.setProperty("keepAliveTimeout", Integer.toString(PATIENCE_MILLIS));
        tomcat.setConnector(connector);
        Context context = tomcat.addContext("", null);
        Tomcat.addServlet(context, "greeting", new Greeting()).addMapping("/");
        tomcat.start();
    }

    @Override
    public String version() {
        return ServerInfo.getServerNumber();
    }

    /** Stateless. */
    private static final class Greeting extends HttpServlet {
        private static final long serialVersionUID = 1;
        private static final byte[] HELLO = Hello.bytes();

        @Override
        protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
            response.setContentType("text/plain");
            response.setContentLength(HELLO.length);
            response.getOutputStream().write(HELLO);
        }
    }
}
