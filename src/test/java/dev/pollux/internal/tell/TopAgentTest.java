// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.tell;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The agent of {@code top} in a VM that comes to load it when {@code top} may have ended. */
class TopAgentTest {
    @TempDir
    Path folder;

    @Test
    void aTopThatWasKilledIsNoError() throws Exception {
        Path socket = folder.resolve("socket");
        try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            server.bind(UnixDomainSocketAddress.of(socket));
        }
        assertTrue(Files.exists(socket));
        assertDoesNotThrow(() -> TopAgent.start(socket.toString()));
    }

    @Test
    void aTopThatHasTakenItsSocketAwayIsNoError() {
        assertDoesNotThrow(() -> TopAgent.start(folder.resolve("gone").toString()));
    }

    @Test
    void whatPreventsAConnectionElseIsTold() throws Exception {
        Path tooLong = Files.createFile(folder.resolve("x".repeat(200)));
        assertThrows(IOException.class, () -> TopAgent.start(tooLong.toString()));
    }
}
