// SPDX-License-Identifier: Apache-2.0

import dev.pollux.server.Connection;
import dev.pollux.server.ConnectionHandler;
import dev.pollux.server.Exchange;
import dev.pollux.server.StreamServer;
import java.io.IOException;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/** Takes a line with a length, and as many bytes. */
final class Uploads implements ConnectionHandler {
    private static final Object REFUSED = "refused";
    private static final int MAX_LENGTH = 1 << 20;
    private static final int MAX_LINE = 20;

    static StreamServer start(SocketAddress address) throws IOException {
        return StreamServer.at(address, Uploads::new)
                .maxRequest(MAX_LINE + MAX_LENGTH)
                .start();
    }

    @Override
    public void onData(ByteBuffer data, Exchange exchange) {
        if (exchange.attachment() == REFUSED) {
            data.position(data.limit());                                    // swallowed
            return;
        }
        String start = StandardCharsets.US_ASCII.decode(data.slice(0, Math.min(MAX_LINE, data.limit()))).toString();
        int line = start.indexOf('\n') + 1;
        if (line == 0 && data.limit() < MAX_LINE) {
            exchange.awaitMore();
            return;
        }
        long length = line == 0 ? Long.MAX_VALUE : Long.parseLong(start.substring(0, line).strip());
        if (length > MAX_LENGTH) {
            exchange.send(ascii("too long\n"));
            refuse(exchange.connection());
            data.position(data.limit());
        } else if (data.limit() - line < length) {
            exchange.awaitMore();
        } else {
            exchange.send(ascii("thanks\n"));
            data.position(line + (int) length);
        }
    }

    private static void refuse(Connection connection) {
        connection.attach(REFUSED);
        connection.shutdownOutput();                                        // behind the reply
        connection.schedule(Duration.ofSeconds(10), connection::abort);     // unless the other side ends before
    }

    private static ByteBuffer ascii(String text) {
        return ByteBuffer.wrap(text.getBytes(StandardCharsets.US_ASCII));
    }
}
