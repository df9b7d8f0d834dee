// SPDX-License-Identifier: Apache-2.0

import dev.pollux.server.CloseReason;
import dev.pollux.server.Connection;
import dev.pollux.server.ConnectionHandler;
import dev.pollux.server.Exchange;
import dev.pollux.server.Phase;
import dev.pollux.server.StreamServer;
import java.io.IOException;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** A chat: each line is sent to all who are there. The first line is a name. */
final class Chat implements ConnectionHandler {
    private final Set<Connection> room;

    private Chat(Set<Connection> room) {
        this.room = room;
    }

    static StreamServer start(SocketAddress address) throws IOException {
        Set<Connection> room = ConcurrentHashMap.newKeySet();               // of all loops
        return StreamServer.at(address, () -> new Chat(room))
                .loops(2)
                .maxRequest(1000)
                .timeout(Phase.WRITING, Duration.ofSeconds(20))             // who reads nothing is ended
                .start();
    }

    @Override
    public void onOpen(Exchange exchange) {
        exchange.send(ascii("Your name?"));
    }

    @Override
    public void onData(ByteBuffer data, Exchange exchange) {
        int length = lineLength(data);
        if (length < 0) {
            exchange.awaitMore();
            return;
        }
        String line = StandardCharsets.US_ASCII.decode(data.slice(0, length)).toString().strip();
        data.position(length);
        Connection speaker = exchange.connection();
        if (speaker.attachment() == null) {
            speaker.attach(line);
            room.add(speaker);
            tellAll(line + " is here");
        } else {
            tellAll(speaker.attachment() + ": " + line);
        }
    }

    @Override
    public void onClose(Exchange exchange, CloseReason reason) {
        Connection gone = exchange.connection();
        if (room.remove(gone)) {
            tellAll(gone.attachment() + " has gone: " + reason);
        }
    }

    private void tellAll(String line) {
        ByteBuffer bytes = ascii(line);
        for (Connection each : room) {
            each.send(bytes);                                               // false: much waits for it, it misses this
        }
    }

    private static ByteBuffer ascii(String line) {
        return ByteBuffer.wrap((line + '\n').getBytes(StandardCharsets.US_ASCII));
    }

    private static int lineLength(ByteBuffer data) {
        for (int i = 0; i < data.limit(); i++) {
            if (data.get(i) == '\n') {
                return i + 1;
            }
        }
        return -1;
    }
}
