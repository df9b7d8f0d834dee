// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.cache;

import java.nio.ByteBuffer;

/** What HTTP has characters be (RFC 9110, 5.6), and how bytes compare. Stateless. */
final class Characters {
    private static final boolean[] TOKEN = new boolean[128];

    static {
        for (char c = 0; c < TOKEN.length; c++) {
            TOKEN[c] = c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
                    || "!#$%&'*+-.^_`|~".indexOf(c) >= 0;
        }
    }

    private Characters() {
    }

    /** Of names: of methods and fields. */
    static boolean isToken(byte c) {
        return c >= 0 && TOKEN[c];
    }

    static boolean isDigit(byte c) {
        return c >= '0' && c <= '9';
    }

    /** Visible, and of ASCII. */
    static boolean isVisible(byte c) {
        return c > ' ' && c < 127;
    }

    /** Of a field's value: visible, a blank, or beyond ASCII. */
    static boolean isInValue(byte c) {
        return c >= ' ' && c < 127 || c == '\t' || c < 0;
    }

    static boolean isBlank(byte c) {
        return c == ' ' || c == '\t';
    }

    static boolean equal(ByteBuffer data, int from, int to, byte[] other) {
        if (to - from != other.length) {
            return false;
        }
        for (int i = 0; i < other.length; i++) {
            if (data.get(from + i) != other[i]) {
                return false;
            }
        }
        return true;
    }

    /** Whether bytes are a word, whose letters are small, in whatever case. */
    static boolean equalIgnoringCase(ByteBuffer data, int from, int to, byte[] word) {
        if (to - from != word.length) {
            return false;
        }
        for (int i = 0; i < word.length; i++) {
            byte c = data.get(from + i);
            if ((c >= 'A' && c <= 'Z' ? c + 'a' - 'A' : c) != word[i]) {
                return false;
            }
        }
        return true;
    }
}
