// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.apps;

import java.util.Locale;

/** The servers. */
enum Subject {
    HTTPSERVER("jdk.httpserver", false),
    NETTY("Netty NIO", false),
    JETTY("Jetty", true),
    TOMCAT("Tomcat NIO", true),
    UNDERTOW("Undertow", false);

    final String label;

    /** Whether requests are answered by a pool of threads, which change interest and wake the selector. */
    final boolean threadPool;

    Subject(String label, boolean threadPool) {
        this.label = label;
        this.threadPool = threadPool;
    }

    /** The name on command lines. */
    String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
