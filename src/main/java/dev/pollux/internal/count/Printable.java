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

    /** Room for threads that begin while they are looked at. */
    private static final int SPARE_THREADS = 16;

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

    /** {@return who woke a loop last, by the id that it has noted; 0 if none did} */
    public static String waker(long id) {
        return id == 0 ? "never woken" : "woken last by " + thread(id);
    }

    /** Looks at all threads that live. */
    @SuppressWarnings("deprecation") // threadId comes with JDK 19
    private static String thread(long id) {
        try {
            ThreadGroup group = Thread.currentThread().getThreadGroup();
            while (group.getParent() != null) {
                group = group.getParent();
            }
            Thread[] all = new Thread[group.activeCount() + SPARE_THREADS];
            int count = group.enumerate(all);
            for (int i = 0; i < count; i++) {
                if (all[i].getId() == id) {
                    return "thread \"" + of(all[i].getName()) + '"';
                }
            }
        } catch (SecurityException e) {
            return "thread number " + id; // the caller may not look at all threads
        }
        return "thread number " + id + " (ended or virtual)";
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
