// SPDX-License-Identifier: Apache-2.0
package dev.pollux.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.lab.Job;
import dev.pollux.lab.Workbench;
import dev.pollux.server.ServerLab.Client;
import java.io.IOException;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The programs of the page on Interruptlets, the first of which stands in the Javadoc of {@link StreamServer} too:
 * compiled as they stand there, and run on each mechanism.
 */
class ExampleTest {
    private static final Path SOURCE = Path.of("server/src/main/java/dev/pollux/server/StreamServer.java");
    private static PageExamples examples;

    @BeforeAll
    static void compile(@TempDir Path folder) throws Exception {
        examples = new PageExamples(folder);
    }

    private static Client client(ServerLab lab, StreamServer server) throws IOException {
        return lab.opened(new Client(SocketChannel.open(server.address())));
    }

    @EachMechanism
    void everybodyInTheChatHearsWhatIsSaid(ServerLab lab) throws Exception {
        StreamServer chat = examples.start(lab, "Chat", Workbench.loopback(0));
        List<Client> people = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            Client next = client(lab, chat);
            next.assertHears("Your name?\n");
            next.say("person " + i + '\n');
            people.add(next);
            for (Client each : people) {
                each.assertHears("person " + i + " is here\n");
            }
        }
        people.get(3).say("hello\nand ");
        people.get(3).say("welcome\n");
        for (Client each : people) {
            each.assertHears("person 3: hello\nperson 3: and welcome\n");
        }
        people.remove(9).close();
        people.get(0).assertHears("person 9 has gone: PEER\n");
    }

    @EachMechanism
    void theProxyPassesOnAllBytesBothWays(ServerLab lab) throws Exception {
        lab.serve(() -> (data, exchange) -> {
            exchange.send(data);
            data.position(data.limit());
        });
        StreamServer proxy = examples.start(lab, "Proxy", Workbench.loopback(0), lab.server().address());
        byte[] bytes = new byte[8 << 20]; // more than a connection may have pending, and than buffers hold
        new Random(1).nextBytes(bytes);
        Client client = client(lab, proxy);
        Job<SocketChannel> writer = lab.start(() -> {
            client.channel.write(ByteBuffer.wrap(bytes));
            return client.channel.shutdownOutput();
        });
        ByteBuffer heard = ByteBuffer.allocate(bytes.length + 1);
        while (client.channel.read(heard) >= 0) {
            assertTrue(heard.hasRemaining());
        }
        writer.result();
        assertEquals(ByteBuffer.wrap(bytes), heard.flip());
    }

    @EachMechanism
    void theProxyEndsAClientWhoseServerIsNotThere(ServerLab lab) throws Exception {
        SocketAddress unreachable;
        try (ServerSocketChannel closed = ServerSocketChannel.open().bind(Workbench.loopback(0))) {
            unreachable = closed.getLocalAddress();
        }
        client(lab, examples.start(lab, "Proxy", Workbench.loopback(0), unreachable)).assertIsClosed();
    }

    /** More than a connection may have pending, and than buffers hold. */
    private static byte[] file(Path folder) throws IOException {
        byte[] bytes = new byte[16 << 20];
        new Random(1).nextBytes(bytes);
        Files.write(folder.resolve("file"), bytes);
        return bytes;
    }

    @EachMechanism
    void aFileIsSentAsFastAsItIsRead(ServerLab lab, @TempDir Path folder) throws Exception {
        byte[] bytes = file(folder);
        StreamServer server = examples.start(lab, "FileServer", Workbench.loopback(0), folder);
        for (String request : List.of("file\n", "../file\n", "/file\n")) {
            Client client = client(lab, server);
            client.say(request);
            client.channel.shutdownOutput();
            assertEquals(ByteBuffer.wrap(bytes), client.hearBytes(bytes.length + 1));
        }
    }

    @EachMechanism
    void aFileThatIsHalfSentIsSentToItsEndWhenTheServerIsClosed(ServerLab lab, @TempDir Path folder) throws Exception {
        byte[] bytes = file(folder);
        StreamServer server = examples.start(lab, "FileServer", Workbench.loopback(0), folder);
        Client idle = client(lab, server);
        Client client = client(lab, server);
        client.say("file\n");
        client.hear(1);
        Job<Void> closing = lab.start(() -> {
            server.close(ServerLab.PATIENCE, TimeUnit.NANOSECONDS);
            return null;
        });
        idle.assertIsClosed();
        assertEquals(ByteBuffer.wrap(bytes, 1, bytes.length - 1), client.hearBytes(bytes.length));
        closing.result();
    }

    @EachMechanism
    void whoseUploadIsRefusedHearsWhyThoughItSendsOn(ServerLab lab) throws Exception {
        StreamServer server = examples.start(lab, "Uploads", Workbench.loopback(0));
        Client client = client(lab, server);
        client.say("5\nhello1000000\n" + "x".repeat(1_000_000));
        client.assertHears("thanks\nthanks\n");
        for (String length : List.of("20000000\n", "x".repeat(20))) {
            Client refused = client(lab, server);
            refused.say(length);
            refused.say("x".repeat(20_000_000));
            refused.assertHears("too long\n");
            assertEquals("", refused.hear(1));
            refused.close();
        }
    }

    /** What stands in the first block of code of the server's Javadoc. */
    private static String example() throws IOException {
        String source = Files.readString(SOURCE);
        String begin = "<pre>{@code\n";
        int from = source.indexOf(begin) + begin.length();
        int to = source.indexOf(" * }</pre>", from);
        assertTrue(from >= begin.length() && to > from, "no example in " + SOURCE);
        return source.substring(from, to).replaceAll("(?m)^ \\* ?", "");
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
        StreamServer server = examples.start(lab, "TimeServer", Workbench.loopback(0));
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
        Client client = client(lab, examples.start(lab, "TimeServer", Workbench.loopback(0)));
        client.say("quit\nnow?\n");
        assertHearsTheTime(client);
        client.assertIsClosed();
    }

    @EachMechanism
    void aLineThatIsTooLongEndsTheConnection(ServerLab lab) throws Exception {
        StreamServer server = examples.start(lab, "TimeServer", Workbench.loopback(0));
        Client client = client(lab, server);
        client.say("x".repeat(1001));
        client.assertIsClosed();
        assertEquals(1, server.statistics().closedTooLong());
    }

    @Test
    void thePageShowsTheSameExample() throws IOException {
        assertTrue(Files.readString(PageExamples.PAGE).contains("```java\n" + example() + "```\n"));
    }

    @Test
    void thePageHasEachPhase() throws IOException {
        List<String> rows = Files.readString(PageExamples.PAGE).lines()
                .dropWhile(line -> !line.startsWith("| phase |")).skip(2).takeWhile(line -> line.startsWith("|"))
                .map(line -> line.split("`")[1]).toList();
        assertEquals(Stream.of(Phase.values()).map(Phase::name).toList(), rows);
    }
}
