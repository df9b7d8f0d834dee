// SPDX-License-Identifier: Apache-2.0
package dev.pollux.loading;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.pollux.loading.program.InheritedEcho;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A program started as inetd starts it finds its connection, in the name of the provider that was chosen. */
class InheritedChannelIT {

    private static final String JDKS = "dev.pollux.loading.Jdk#all";

    @ParameterizedTest
    @MethodSource(JDKS)
    void theConnectionOnStandardInputIsServed(Jdk jdk) throws Exception {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            CompletableFuture<String> answer = CompletableFuture.supplyAsync(() -> converse(server, "from inetd"));
            Vm.Result result = onConnection(echo(jdk), server).run(InheritedEcho.class);
            result.succeeds().says("channel sun.nio.ch.SocketChannelImpl", "same again true", "one identity true",
                    "provider dev.pollux.EPollSelectorProvider");
            assertEquals("from inetd", answer.get());
        }
    }

    @ParameterizedTest
    @MethodSource(JDKS)
    void withoutAConnectionThereIsNoChannel(Jdk jdk) throws Exception {
        echo(jdk).run(InheritedEcho.class).succeeds().says("channel null", "same again true");
    }

    @ParameterizedTest
    @MethodSource(JDKS)
    void theJdksOwnAssertionAgainstForeignProvidersIsExplained(Jdk jdk) throws Exception {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            onConnection(echo(jdk).with("-esa"), server).run(InheritedEcho.class).succeeds().says("refused ", "-esa");
        }
    }

    /** Starts the VM as inetd does: a shell makes the connection its standard input. */
    static Vm onConnection(Vm vm, ServerSocket server) {
        return vm.through("bash", "-c", "exec 0<>/dev/tcp/127.0.0.1/$0; exec \"$@\"",
                String.valueOf(server.getLocalPort()));
    }

    private static Vm echo(Jdk jdk) {
        return Vm.on(jdk).classPath(PolluxJar.path(), PolluxJar.programs()).provider("EPollSelectorProvider");
    }

    private static String converse(ServerSocket server, String words) {
        try (Socket socket = server.accept(); InputStream in = socket.getInputStream()) {
            socket.getOutputStream().write(words.getBytes(StandardCharsets.UTF_8));
            socket.shutdownOutput();
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (java.io.IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }
}
