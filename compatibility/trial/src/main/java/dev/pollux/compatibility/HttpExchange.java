// SPDX-License-Identifier: Apache-2.0
package dev.pollux.compatibility;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/** HTTP/1.1 with answers of a known length, or in chunks. It uses no selector, so the framework's are the only ones. */
final class HttpExchange implements Exchange {
    private static final int MAX_LINE = 8192;

    private final Socket socket;
    private final InputStream in;

    HttpExchange(Socket socket) throws IOException {
        this.socket = socket;
        in = new BufferedInputStream(socket.getInputStream());
    }

    @Override
    public void send(byte[] body) throws IOException {
        ByteArrayOutputStream request = new ByteArrayOutputStream(body.length + 200);
        request.writeBytes(("POST /echo HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/octet-stream\r\n"
                + "Accept: application/octet-stream\r\nContent-Length: " + body.length + "\r\n\r\n")
                .getBytes(StandardCharsets.US_ASCII));
        request.writeBytes(body);
        socket.getOutputStream().write(request.toByteArray());
    }

    @Override
    public byte[] receive(int length) throws IOException {
        String status = line();
        if (!status.startsWith("HTTP/1.1 200")) {
            throw new IOException("answered " + status);
        }
        int contentLength = -1;
        boolean isChunked = false;
        for (String header = line(); !header.isEmpty(); header = line()) {
            String lower = header.toLowerCase(Locale.ROOT).replace(" ", "");
            if (lower.startsWith("content-length:")) {
                contentLength = Integer.parseInt(lower.substring("content-length:".length()));
            }
            isChunked |= lower.equals("transfer-encoding:chunked");
        }
        if (!isChunked && contentLength < 0) {
            throw new IOException("an answer without a length");
        }
        return isChunked ? chunks() : in.readNBytes(contentLength);
    }

    private byte[] chunks() throws IOException {
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        while (true) {
            int length = Integer.parseInt(line().split(";")[0].strip(), 16);
            body.writeBytes(in.readNBytes(length));
            line();
            if (length == 0) {
                return body.toByteArray();
            }
        }
    }

    private String line() throws IOException {
        StringBuilder line = new StringBuilder();
        for (int b = in.read(); b != '\n'; b = in.read()) {
            if (b < 0) {
                throw new EOFException("the connection ended in the middle of an answer: " + line);
            }
            if (line.length() == MAX_LINE) {
                throw new IOException("a line without an end: " + line);
            }
            line.append((char) b);
        }
        return line.toString().stripTrailing();
    }
}
