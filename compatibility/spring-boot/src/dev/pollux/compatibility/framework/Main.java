// SPDX-License-Identifier: Apache-2.0
package dev.pollux.compatibility.framework;

import dev.pollux.compatibility.HttpServer;
import dev.pollux.compatibility.Trial;
import java.util.Map;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.web.servlet.context.ServletWebServerApplicationContext;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

/** Spring Boot with the server that it brings, Tomcat, as one jar. */
public final class Main implements HttpServer {
    private ServletWebServerApplicationContext context;

    public static void main(String[] arguments) {
        Trial.run(new Main());
    }

    @Override
    public void start() {
        SpringApplication application = new SpringApplication(Echo.class);
        application.setDefaultProperties(Map.of("server.port", "0", "server.address", "127.0.0.1",
                "server.tomcat.max-keep-alive-requests", "-1", "logging.level.root", "warn"));
        context = (ServletWebServerApplicationContext) application.run();
    }

    @Override
    public int port() {
        return context.getWebServer().getPort();
    }

    @Override
    public void stop() {
        context.close();
    }

    /** Stateless. */
    @SpringBootApplication
    @RestController
    public static class Echo {
        @PostMapping("/echo")
        byte[] echo(@RequestBody byte[] body) {
            return body;
        }
    }
}
