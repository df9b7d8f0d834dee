// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.verdict;

/**
 * What is wrong with a loop now. Immutable. It refers to nothing of the application's.
 *
 * @param kind     what it is; {@link Kind#NONE} if nothing is
 * @param since    when it began, by {@link System#nanoTime}
 * @param evidence what shows it, in words; empty if there is nothing
 */
public record Verdict(Kind kind, long since, String evidence) {
    static final Verdict NONE = new Verdict(Kind.NONE, 0, "");

    /** The worst first: a loop has one verdict, and that is the worst that is true. */
    public enum Kind {
        /** Its thread has ended or left, something waits for it, and no other has taken its place. */
        LOST_THREAD("thread lost", "lostThread", "A loop has no thread any more, though something waits for one"),

        /** Its thread has done something else for long, though there are events. */
        BLOCKED("blocked", "blocked", "A loop does not return to its wait, though there are events"),

        /** The same, for a tenth of a second: it may be on its way to be blocked. Not told by itself. */
        STALLED("stalled", "", ""),

        /** A key was found that makes it spin, and it goes on. */
        SPINS("spins", "spin", "A key was found that makes a selector spin"),

        /** It was found to be woken for nothing, and goes on. */
        WAKEUP_STORM("wakeup storm", "wakeupStorm", "A selector is woken again and again for nothing"),

        /** The same, as far as rates tell; it may be tasks that are too short to tell. Not told by itself. */
        WOKEN("woken", "", ""),

        /** The mechanism has refused channels. */
        REFUSES("refuses", "refusedRegistration", "The mechanism has refused a channel"),

        /** Its thread has turned to another loop since: nothing is wrong, and nothing is done. */
        LEFT_ALONE("left alone", "", ""),

        NONE("", "", "");

        private final String words;
        private final String notification;
        private final String description;

        Kind(String words, String notification, String description) {
            this.words = words;
            this.notification = notification;
            this.description = description;
        }

        /** {@return the words that log, JMX, JFR and {@code top} have for it; empty for {@link #NONE}} */
        public String words() {
            return words;
        }

        /** {@return whether it is told when it is found, rather than shown to who looks} */
        public boolean isTold() {
            return !notification.isEmpty();
        }

        /** {@return the type of the notification that tells it: {@code dev.pollux.spin} and the like} */
        public String notificationType() {
            return "dev.pollux." + notification;
        }

        /** {@return what the notification says in general} */
        public String description() {
            return description;
        }

        /** {@return whether the loop has not selected though there are events} */
        public boolean isStalled() {
            return this == STALLED || this == BLOCKED;
        }
    }
}
