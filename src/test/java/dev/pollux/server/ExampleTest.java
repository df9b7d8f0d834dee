// SPDX-License-Identifier: Apache-2.0
package dev.pollux.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.pollux.lab.Workbench;
import dev.pollux.server.ServerLab.Client;
import java.io.IOException;
import java.lang.reflect.Method;
import java.net.SocketAddress;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The example of the Javadoc of {@link StreamServer}: compiled as it stands there, and run on each mechanism. */
class ExampleTest {
    private static final Path SOURCE = Path.of("src/main/java/dev/pollux/server/StreamServer.java");
    private static final Path PAGE = Path.of("docs", "interruptlets.md");
    private static final String PROPERTY = "dev.pollux.server.mechanism";

    private static final String IMPORTS = """
            import dev.pollux.server.*;
            import java.io.*;
            import java.net.*;
            import java.nio.*;
            import java.nio.charset.*;
            import java.time.*;
            """;

    @TempDir
    static Path folder;

    @BeforeAll
    static void compile() throws Exception {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        assumeTrue(compiler != null, "this Java has no compiler");
        Path file = folder.resolve("TimeServer.java");
        Files.writeString(file, IMPORTS + example());
        URL classes = StreamServer.class.getProtectionDomain().getCodeSource().getLocation();
        assertEquals(0, compiler.run(null, null, null, "-Xlint:all", "-Werror", "-proc:none",
                "-cp", Path.of(classes.toURI()).toString(), "-d", folder.toString(), file.toString()));
    }

    /** What stands in the first block of code. */
    private static String example() throws IOException {
        String source = Files.readString(SOURCE);
        String begin = "<pre>{@code\n";
        int from = source.indexOf(begin) + begin.length();
        int to = source.indexOf(" * }</pre>", from);
        assertTrue(from >= begin.length() && to > from, "no example in " + SOURCE);
        return source.substring(from, to).replaceAll("(?m)^ \\* ?", "");
    }

    /** Starts the example on the mechanism that the system property names: it names none itself. */
    private static StreamServer start(ServerLab lab) throws Exception {
        URLClassLoader loader = lab.opened(new URLClassLoader(new URL[] {folder.toUri().toURL()},
                ExampleTest.class.getClassLoader()));
        Method start = loader.loadClass("TimeServer").getDeclaredMethod("start", SocketAddress.class);
        start.setAccessible(true);
        System.setProperty(PROPERTY, lab.mechanism());
        try {
            return lab.opened((StreamServer) start.invoke(null, Workbench.loopback(0)));
        } finally {
            System.clearProperty(PROPERTY);
        }
    }

    private static Client client(ServerLab lab, StreamServer server) throws IOException {
        return lab.opened(new Client(SocketChannel.open(server.address())));
    }

    /** Reads a line, which must be a time. */
    private static void assertHearsTheTime(Client client) throws IOException {
        StringBuilder line = new StringBuilder();
        for (String next = client.hear(1); !next.equals("\n"); next = client.hear(1)) {
            assertFalse(next.isEmpty(), "the connection has ended");
            line.append(next);
        }
        assertTrue(Instant.parse(line).isAfter(Instant.EPOCH), line.toString());
    }

    @EachMechanism
    void eachLineIsAnsweredHoweverItComes(ServerLab lab) throws Exception {
        StreamServer server = start(lab);
        assertEquals(lab.mechanism(), server.mechanism());
        for (int i = 0; i < 10; i++) {
            Client client = client(lab, server);
            client.say("now?\nand now?\n\nand");
            assertHearsTheTime(client);
            assertHearsTheTime(client);
            assertHearsTheTime(client);
            for (String letter : " now?\n".split("")) {
                client.say(letter);
            }
            assertHearsTheTime(client);
        }
    }

    @EachMechanism
    void quitIsAnsweredAndEndsTheConnection(ServerLab lab) throws Exception {
        Client client = client(lab, start(lab));
        client.say("quit\nnow?\n");
        assertHearsTheTime(client);
        client.assertIsClosed();
    }

    @EachMechanism
    void aLineThatIsTooLongEndsTheConnection(ServerLab lab) throws Exception {
        StreamServer server = start(lab);
        Client client = client(lab, server);
        client.say("x".repeat(1001));
        client.assertIsClosed();
        assertEquals(1, server.statistics().closedTooLong());
    }

    @Test
    void thePageShowsTheSameExample() throws IOException {
        assertTrue(Files.readString(PAGE).contains("```java\n" + example() + "```\n"));
    }
}
