// SPDX-License-Identifier: Apache-2.0
package dev.pollux.lab;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.lab.Workbench.Connection;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/** A peer that asks now and then while a test goes on, and the answers that it gets. */
public final class Traffic {
    private Traffic() {
    }

    /** Asks, and again so long after each answer, until the connection is closed: how often there was an answer. */
    public static Job<Integer> ask(Workbench lab, Connection tcp, long betweenMillis) {
        return lab.start(() -> {
            ByteBuffer oneByte = ByteBuffer.allocate(1);
            int answers = 0;
            try {
                while (tcp.far().write(oneByte.clear()) == 1 && tcp.far().read(oneByte.clear()) == 1) {
                    answers++;
                    Thread.sleep(betweenMillis);
                }
            } catch (IOException e) {
                return answers; // the test is over
            }
            return answers;
        });
    }

    public static void end(Connection tcp, Job<Integer> peer) throws Exception {
        tcp.near().close();
        tcp.far().close();
        assertTrue(peer.result() > 0, "there was traffic");
    }

    /** Answers with what has come: how many bytes. */
    public static int echo(SocketChannel channel) {
        try {
            ByteBuffer bytes = ByteBuffer.allocate(16);
            channel.read(bytes);
            return channel.write(bytes.flip());
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
