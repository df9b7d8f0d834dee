// SPDX-License-Identifier: Apache-2.0
package dev.pollux.tools.check;

import static java.nio.channels.SelectionKey.OP_ACCEPT;
import static java.nio.channels.SelectionKey.OP_READ;
import static java.nio.channels.SelectionKey.OP_WRITE;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.pollux.internal.jdk.SocketCalls;
import dev.pollux.tools.common.Bench;
import dev.pollux.tools.common.JavaCommand;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.DatagramChannel;
import java.nio.channels.Pipe;
import java.nio.channels.SelectionKey;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Checks of channels that are no TCP connections, and of many channels. Stateless. */
final class ChannelChecks {
    private static final int MANY = 1000;

    private ChannelChecks() {
    }

    static void datagrams(Bench bench) throws IOException {
        DatagramChannel receiver = bench.datagramChannel();
        DatagramChannel sender = bench.datagramChannel();
        SelectionKey key = bench.register(receiver, OP_READ);
        SelectionKey sending = bench.register(sender, OP_WRITE);
        bench.awaitReady(sending, OP_WRITE);
        sending.interestOps(0);
        ByteBuffer buffer = ByteBuffer.allocate(100);
        for (int i = 0; i < 100; i++) {
            sender.send(ByteBuffer.allocate(i), receiver.getLocalAddress());
            bench.awaitReady(key, OP_READ);
            Bench.require(sender.getLocalAddress().equals(receiver.receive(buffer.clear())), "its sender is known");
            Bench.require(buffer.position() == i, "a datagram of " + i + " bytes arrives whole");
            bench.expectNothing("after it was received");
        }
    }

    static void pipe(Bench bench) throws IOException {
        Pipe pipe = bench.pipe();
        SelectionKey key = bench.register(pipe.source(), OP_READ);
        ByteBuffer buffer = ByteBuffer.allocate(100);
        for (int i = 1; i <= 100; i++) {
            bench.expectNothing("in an empty pipe");
            pipe.sink().write(ByteBuffer.allocate(i));
            bench.awaitReady(key, OP_READ);
            Bench.require(pipe.source().read(buffer.clear()) == i, "what was written is read");
        }
        pipe.sink().close();
        bench.awaitReady(key, OP_READ);
        Bench.require(pipe.source().read(buffer.clear()) == -1, "the end of the stream is read");
    }

    static void unixDomain(Bench bench) throws IOException, SkippedException {
        Path folder;
        try {
            folder = Files.createTempDirectory("pollux-");
        } catch (IOException e) {
            throw new SkippedException("no folder for the socket: " + e);
        }
        Path file = folder.resolve("socket");
        try {
            ServerSocketChannel listener =
                    bench.opened(bench.provider.openServerSocketChannel(StandardProtocolFamily.UNIX));
            listener.bind(UnixDomainSocketAddress.of(file));
            SocketChannel far = bench.opened(bench.provider.openSocketChannel(StandardProtocolFamily.UNIX));
            far.connect(listener.getLocalAddress());
            SocketChannel near = bench.opened(listener.accept());
            near.configureBlocking(false);
            SelectionKey key = bench.register(near, OP_READ);
            bench.expectNothing("before data arrives");
            far.write(Bench.bytes("data"));
            bench.awaitReady(key, OP_READ);
            Bench.require("data".equals(Bench.read(near)), "what was written is read");
            far.close();
            bench.awaitReady(key, OP_READ);
            Bench.require(Bench.read(near) == null, "the end of the stream is read");
        } catch (UnsupportedOperationException e) {
            throw new SkippedException("this system has no Unix-domain sockets: " + e.getMessage());
        } finally {
            Files.deleteIfExists(file);
            Files.delete(folder);
        }
    }

    /** A program whose standard input is a connection, as inetd and systemd start it; bash can do so, too. */
    static void inheritedChannel(Bench bench) throws IOException, SkippedException, InterruptedException {
        ServerSocketChannel listener = bench.listener();
        InetSocketAddress address = (InetSocketAddress) listener.getLocalAddress();
        Process program = start(bench, address);
        try {
            listener.configureBlocking(false);
            bench.register(listener, OP_ACCEPT);
            if (bench.selector.select(Bench.MAX_WAIT_MILLIS) == 0) {
                boolean ended = program.waitFor(Bench.MAX_WAIT_MILLIS, TimeUnit.MILLISECONDS);
                throw new SkippedException("bash did not connect: " + (ended ? errorsOf(program) : "it hangs"));
            }
            SocketChannel far = bench.opened(listener.accept());
            far.write(Bench.bytes("data"));
            far.shutdownOutput();
            String answer = new String(Channels.newInputStream(far).readAllBytes(), UTF_8);
            Bench.require("data".equals(answer), "the program answers on its standard input: "
                    + errorsOf(program));
            Bench.require(program.waitFor(Bench.MAX_WAIT_MILLIS, TimeUnit.MILLISECONDS), "it ends");
        } finally {
            program.destroyForcibly();
        }
    }

    private static String errorsOf(Process program) throws IOException {
        return new String(program.getErrorStream().readAllBytes(), UTF_8).strip();
    }

    /** The command line of a program on the same provider, with all that the user has set for this one. */
    private static List<String> command(Bench bench, Class<?> program, String... more) {
        List<String> options = new ArrayList<>(List.of("-Xmx64m",
                "-Djava.nio.channels.spi.SelectorProvider=" + bench.provider.getClass().getName()));
        options.addAll(JavaCommand.properties(name -> name.equals("java.io.tmpdir")
                || name.startsWith("dev.pollux.") && !name.equals(SocketCalls.REPLACED)));
        options.addAll(List.of(more)); // the last one counts
        return JavaCommand.of(program, options);
    }

    /** An event loop with a batch, in a virtual machine of its own: a batch is asked for when that starts. */
    static void batch(Bench bench) throws IOException, SkippedException {
        Process program = new ProcessBuilder(command(bench, BatchProgram.class, "-Ddev.pollux.batch=all")).start();
        try {
            String said = new String(program.getInputStream().readAllBytes(), UTF_8).strip();
            if (said.startsWith(BatchProgram.OFF)) {
                throw new SkippedException(said.substring(BatchProgram.OFF.length()));
            }
            String errors = errorsOf(program);
            Bench.require(program.waitFor() == 0, errors.isEmpty() ? "the program ends well" : errors);
        } catch (InterruptedException e) {
            throw new IOException(e);
        } finally {
            program.destroyForcibly();
        }
    }

    private static Process start(Bench bench, InetSocketAddress address) throws IOException, SkippedException {
        List<String> command = new ArrayList<>(List.of("bash", "-c",
                "exec \"$@\" 0<>/dev/tcp/" + address.getAddress().getHostAddress() + '/' + address.getPort(), "bash"));
        command.addAll(command(bench, EchoProgram.class));
        try {
            return new ProcessBuilder(command).redirectOutput(ProcessBuilder.Redirect.DISCARD).start();
        } catch (IOException e) {
            throw new SkippedException("no program could be started with a connection as its standard input: "
                    + e.getMessage());
        }
    }

    static void manyChannels(Bench bench) throws IOException, SkippedException {
        List<DatagramChannel> channels = new ArrayList<>();
        IOException limit = null;
        try {
            while (channels.size() < MANY) {
                DatagramChannel channel = bench.datagramChannel();
                bench.register(channel, OP_READ).attach(channels.size());
                channels.add(channel);
            }
        } catch (IOException e) {
            limit = e;
        }
        if (channels.size() < 2) {
            throw limit;
        }
        for (int sent = 0; sent < channels.size(); sent++) {
            channels.get(0).send(Bench.bytes("x"), channels.get(sent).getLocalAddress());
        }
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(Bench.MAX_WAIT_MILLIS);
        int sum = 0;
        ByteBuffer buffer = ByteBuffer.allocate(1);
        while (sum < channels.size()) {
            Bench.require(System.nanoTime() < deadline, "all channels are reported: " + sum);
            bench.selector.select(Bench.MAX_WAIT_MILLIS);
            for (SelectionKey key : bench.selector.selectedKeys()) {
                Bench.require(key.channel() == channels.get((Integer) key.attachment()), "a key has its attachment");
                boolean received = ((DatagramChannel) key.channel()).receive(buffer.clear()) != null;
                Bench.require(received, "a ready channel has data");
                sum++;
            }
            bench.selector.selectedKeys().clear();
        }
        bench.expectNothing("after all was received");
        if (limit != null) {
            throw new SkippedException("with " + channels.size() + " channels all is well, for more: "
                    + Trials.advice(limit));
        }
    }
}
