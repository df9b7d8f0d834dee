// SPDX-License-Identifier: Apache-2.0
package dev.pollux.tools.top;

import java.io.IOException;
import java.io.Reader;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * The keys that the user presses. A daemon thread reads them, so that the one who awaits them can do without. Keys that
 * are no characters have numbers that Unicode gives none. Where keys come line by line, Enter ends a text, no more.
 */
final class Keys {
    /** There is no key. */
    static final char NONE = 0;

    static final char ENTER = '\n', ESCAPE = '\033', DELETE = '\177', BACKSPACE = '\b', SUSPEND = 'Z' - '@';
    static final char UP = '\ue000', DOWN = '\ue001', RIGHT = '\ue002', LEFT = '\ue003';
    private static final char UNKNOWN = '\ue004';

    /** The letters at the end of what the arrows send, in the order of their numbers. */
    private static final String ARROWS = "ABCD";

    /** What comes later than this after Escape is another key. */
    private static final long SEQUENCE_MILLIS = 50;

    private final BlockingQueue<Character> pressed = new LinkedBlockingQueue<>();
    private final Reader in;
    private final boolean areLines;

    /** Escape has been followed by this, which is a key of its own. */
    private char pending;

    Keys(Reader in, boolean areLines) {
        this.in = in;
        this.areLines = areLines;
    }

    /** From now on the keys are read. */
    void start() {
        Thread thread = new Thread(this::read, "keys");
        thread.setDaemon(true);
        thread.start();
    }

    /** {@return the next key; NONE if there is none until this time} */
    char await(long nanoTime) throws InterruptedException {
        Character key = pressed.poll(nanoTime - System.nanoTime(), TimeUnit.NANOSECONDS);
        return key == null ? NONE : key;
    }

    /** {@return whether another key has been pressed already} */
    boolean hasMore() {
        return !pressed.isEmpty();
    }

    /** Until the end of input. */
    void read() {
        try {
            StringBuilder line = new StringBuilder();
            for (char key = next(); key != NONE; key = next()) {
                if (!areLines) {
                    pressed.add(key);
                } else if (key != ENTER) {
                    line.append(key);
                } else {
                    addLine(line.toString().strip());
                    line.setLength(0);
                }
            }
        } catch (IOException | InterruptedException e) {
            // there are no more keys then
        }
    }

    private void addLine(String line) {
        line.chars().forEach(c -> pressed.add((char) c));
        if (line.startsWith("/")) {
            pressed.add(ENTER);
        }
    }

    private char next() throws IOException, InterruptedException {
        int c = pending != NONE ? pending : in.read();
        pending = NONE;
        return c == ESCAPE ? afterEscape() : c < 0 ? NONE : c == '\r' ? ENTER : c == NONE ? UNKNOWN : (char) c;
    }

    /** Arrows send {@code ESC [ A} or {@code ESC O A}; others have numbers before their last character. */
    private char afterEscape() throws IOException, InterruptedException {
        if (!isFollowed()) {
            return ESCAPE;
        }
        int c = in.read();
        if (c != '[' && c != 'O') {
            pending = (char) Math.max(c, 0);
            return ESCAPE;
        }
        do {
            c = isFollowed() ? in.read() : '~';
        } while (c >= ' ' && c < '@');
        int arrow = ARROWS.indexOf(c);
        return arrow < 0 ? UNKNOWN : (char) (UP + arrow);
    }

    private boolean isFollowed() throws IOException, InterruptedException {
        for (int i = 0; i < SEQUENCE_MILLIS && !in.ready(); i++) {
            TimeUnit.MILLISECONDS.sleep(1);
        }
        return in.ready();
    }
}
