// SPDX-License-Identifier: Apache-2.0

import dev.pollux.server.CloseReason;
import dev.pollux.server.Connection;
import dev.pollux.server.ConnectionHandler;
import dev.pollux.server.Exchange;
import dev.pollux.server.StreamServer;
import java.io.IOException;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;

/** Sends the file that a line names, and closes the connection. */
final class FileServer implements ConnectionHandler {
    private final Path folder;
    private final ByteBuffer part = ByteBuffer.allocateDirect(1 << 16);

    private FileServer(Path folder) {
        this.folder = folder;
    }

    static StreamServer start(SocketAddress address, Path folder) throws IOException {
        return StreamServer.at(address, () -> new FileServer(folder))
                .maxRequest(1000)
                .idleTimeout(Duration.ofMinutes(1))                         // also of one that does not read
                .start();
    }

    @Override
    public void onData(ByteBuffer data, Exchange exchange) throws IOException {
        String line = StandardCharsets.UTF_8.decode(data.duplicate()).toString();
        if (!line.endsWith("\n")) {
            exchange.awaitMore();
            return;
        }
        data.position(data.limit());
        Connection connection = exchange.connection();
        connection.pause();                                                 // one request at a time
        connection.attach(FileChannel.open(folder.resolve(Path.of(line.strip()).getFileName())));
        sendParts(connection);
    }

    @Override
    public void onWritable(Connection connection) throws IOException {
        sendParts(connection);
    }

    private void sendParts(Connection connection) throws IOException {
        FileChannel file = (FileChannel) connection.attachment();
        while (file.read(part.clear()) >= 0) {
            if (!connection.send(part.flip())) {
                file.position(file.position() - part.limit());              // again in onWritable
                return;
            }
        }
        connection.close();                                                 // when all was sent
    }

    @Override
    public void onShutdown(Exchange exchange) {
        if (exchange.attachment() == null) {                                // else it ends by itself
            exchange.close();
        }
    }

    @Override
    public void onEnd(Exchange exchange) {
        onShutdown(exchange);                                               // the other side still reads
    }

    @Override
    public void onClose(Exchange exchange, CloseReason reason) throws IOException {
        if (exchange.attachment() != null) {
            ((FileChannel) exchange.attachment()).close();
        }
    }
}
