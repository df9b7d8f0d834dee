// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.count;

import java.util.Locale;

/**
 * Text that is not ours, on its way into a log, an exception or a terminal: a thread's name, or the path that a peer
 * has bound, may hold line breaks, commands for the terminal, or characters that turn the order of others round.
 * Stateless.
 */
public final class Printable {
    /** No more characters of a text are shown. A channel's text with two long paths has fewer. */
    static final int MAX_LENGTH = 512;

    private Printable() {
    }

    /** {@return the object's text, in which what is not visible stands as backslash, u and a number} */
    public static String of(Object text) {
        String all = String.valueOf(text);
        StringBuilder shown = new StringBuilder(all.length());
        for (int i = 0; i < Math.min(all.length(), MAX_LENGTH); i += Character.charCount(all.codePointAt(i))) {
            int c = all.codePointAt(i);
            if (isVisible(c)) {
                shown.appendCodePoint(c);
            } else {
                shown.append(String.format(Locale.ROOT, c <= 0xffff ? "\\u%04x" : "\\u{%x}", c));
            }
        }
        return all.length() <= MAX_LENGTH ? shown.toString() : shown.append("...").toString();
    }

    /** Format characters are those that change the direction of text, and others that are not seen. */
    private static boolean isVisible(int c) {
        return switch (Character.getType(c)) {
            case Character.CONTROL, Character.FORMAT, Character.LINE_SEPARATOR, Character.PARAGRAPH_SEPARATOR,
                    Character.SURROGATE, Character.PRIVATE_USE, Character.UNASSIGNED -> false;
            default -> true;
        };
    }
}
