// SPDX-License-Identifier: Apache-2.0
package dev.pollux.tools.top;

import dev.pollux.internal.tell.TopAgent;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The connection to {@link TopAgent} in the other virtual machine. It is a Unix domain socket in a folder that only
 * this user may enter, so no other user can listen or answer. Used by one thread at a time.
 */
final class Link implements AutoCloseable {
    private final Target target;
    private final SocketChannel channel;
    private final BufferedReader in;
    private final Writer out;

    private Link(Target target, SocketChannel channel) {
        this.target = target;
        this.channel = channel;
        in = new BufferedReader(Channels.newReader(channel, StandardCharsets.UTF_8));
        out = Channels.newWriter(channel, StandardCharsets.UTF_8);
    }

    /** Has the agent of this jar connect to us. */
    static Link connect(Target target, Path jar) throws IOException, InterruptedException {
        Path folder = Files.createTempDirectory("pollux-top");
        Path socket = folder.resolve("socket");
        folder.toFile().deleteOnExit(); // if a signal ends us before the agent has connected
        socket.toFile().deleteOnExit();
        try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            server.bind(UnixDomainSocketAddress.of(socket));
            return target.ask(() -> {
                Attachment.load(target, jar, socket);
                return new Link(target, server.accept()); // the agent has connected before it returned
            }, Target.MAX_WAIT_MILLIS);
        } finally {
            Files.deleteIfExists(socket);
            Files.delete(folder);
        }
    }

    List<Sample> loops() throws IOException, InterruptedException {
        return ask(TopAgent.LOOPS).stream().map(Sample::decode).toList();
    }

    /** {@return what the thread of the loop with this number does now, innermost call first} */
    List<String> stack(long number) throws IOException, InterruptedException {
        return ask(TopAgent.STACK + number);
    }

    private List<String> ask(String question) throws IOException, InterruptedException {
        return target.ask(() -> answerTo(question), Target.MAX_WAIT_MILLIS);
    }

    private List<String> answerTo(String question) throws IOException {
        List<String> answer = new ArrayList<>();
        try {
            out.write(question + '\n');
            out.flush();
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                if (line.isEmpty()) {
                    return answer;
                }
                answer.add(line);
            }
        } catch (IOException e) {
            // said below: a process that ends may break the connection or end it
        }
        throw new IOException("process " + target.pid() + " has ended");
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
