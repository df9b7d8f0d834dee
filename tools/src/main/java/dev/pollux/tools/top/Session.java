// SPDX-License-Identifier: Apache-2.0
package dev.pollux.tools.top;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** What goes on while {@code top} runs: it asks and shows each second, and obeys keys in between. One thread's. */
final class Session {
    private final Link link;
    private final Screen screen;
    private final View view;
    private final Keys keys;

    /** Null before the first second is over. */
    private List<Interval> loops;

    Session(Link link, Screen screen, View view, Keys keys) {
        this.link = link;
        this.screen = screen;
        this.view = view;
        this.keys = keys;
    }

    /** Until the user quits, or the output can't be written; or for one second. */
    void run(boolean isOnce) throws IOException, InterruptedException {
        List<Sample> before = link.loops();
        boolean goesOn = true;
        while (goesOn && obeyUntil(System.nanoTime() + TimeUnit.SECONDS.toNanos(1))) {
            List<Sample> now = link.loops();
            loops = Interval.between(before, now);
            before = now;
            screen.measure();
            goesOn = show() && !isOnce;
        }
    }

    /** Returns false if the user wants to quit. */
    private boolean obeyUntil(long end) throws IOException, InterruptedException {
        for (char key = keys.await(end); key != Keys.NONE; key = keys.await(end)) {
            if (key == Keys.SUSPEND) {
                screen.suspend();
            } else {
                view.press(key);
            }
            if (view.hasQuit()) {
                return false;
            }
            if (loops != null && screen.isRedrawn() && !keys.hasMore()) {
                show();
            }
        }
        return true;
    }

    private boolean show() throws IOException, InterruptedException {
        Optional<Interval> shown = view.stackOf(loops);
        return screen.show(view, loops, shown.isPresent() ? link.stack(shown.get().number()) : List.of());
    }
}
