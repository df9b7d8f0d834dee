// SPDX-License-Identifier: Apache-2.0
import java.nio.charset.StandardCharsets;

/** What a request asks for, and which bytes its reply has. */
final class Exchange {
    static final String HOST = "127.0.0.1";

    private Exchange() {
    }

    static byte[] request(int length, int seed) {
        String head = "GET /" + length + '/' + seed + " HTTP/1.1\r\nHost: " + HOST + "\r\n\r\n";
        return head.getBytes(StandardCharsets.ISO_8859_1);
    }

    /** {@return the bytes that a path such as {@code /length/seed} asks for} */
    static byte[] body(String path) {
        String[] words = path.split("/");
        byte[] body = new byte[Integer.parseInt(words[1])];
        int seed = Integer.parseInt(words[2]);
        for (int i = 0; i < body.length; i++) {
            body[i] = at(seed, i);
        }
        return body;
    }

    /** {@return one byte of a reply, which tells the request as well as the place} */
    static byte at(int seed, int place) {
        return (byte) ((seed >>> ((place & 3) << 3)) + (place >>> 2));
    }
}
