// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.apps;

import java.util.List;
import java.util.Locale;

/**
 * The servers, all with their defaults. NIO is one thread with one selector. NIO_INTEREST sets {@code OP_WRITE} for
 * each reply and clears it again, as Kafka does. Of Jetty's handlers one says that it never blocks, one blocks while it
 * writes, and one does not say. KAFKA is asked for the versions of its requests; it fetches 100 MB, and needs
 * {@code --warm-up 15}.
 */
enum Subject {
    NIO, NIO_INTEREST, NETTY, NETTY_EXAMPLE, UNDERTOW, TOMCAT, JETTY, JETTY_NON_BLOCKING, JETTY_BLOCKING, VERTX,
    HTTPSERVER, THREADS, VIRTUAL, HELIDON, KAFKA;

    /** As the command line, the tables and the files of figures name it. */
    String label() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** As the server's virtual machine knows it. */
    String application() {
        return this == NETTY ? "netty-http" : this == NETTY_EXAMPLE ? "netty" : label();
    }

    /** What its peers speak. */
    String protocol() {
        return this == KAFKA ? "kafka" : "http";
    }

    /** Whether it runs only where there are virtual threads. */
    boolean needsVirtualThreads() {
        return this == VIRTUAL || this == HELIDON;
    }

    /** Whether its virtual machine may never ask for a selector provider, so that the property starts nothing. */
    boolean needsAgent() {
        return this == THREADS || needsVirtualThreads();
    }

    /** Options of the java command on every side. */
    List<String> options() {
        return switch (this) {
            // Else it closes all idle connections but 200, and those after 30 s.
            case HTTPSERVER -> List.of("-Dsun.net.httpserver.maxIdleConnections=100000",
                    "-Dsun.net.httpserver.idleInterval=300");
            // It takes 128 MB for a buffer of its own.
            case KAFKA -> List.of("-Xms512m", "-Xmx512m");
            default -> List.of();
        };
    }
}
