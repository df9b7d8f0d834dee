// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.verdict;

/**
 * All numbers by which a loop is judged, in one table. Times are nanoseconds unless the name says otherwise. Elsewhere
 * are two: {@link Detectors#blockedNanos}, which a property sets, and the shares of a {@link Suspect}'s samples.
 */
final class Limits {
    static final long SECOND = 1_000_000_000L, MILLISECOND = 1_000_000L;

    // Looks of the WatchThread and of readers.

    /** Time between two looks, unless loops count as blocked much sooner. */
    static final long MAX_PERIOD_MILLIS = 500, MIN_PERIOD_MILLIS = 10;

    /** A look is at least this much shorter than the time after which a loop counts as blocked. */
    static final int LOOKS = 4;

    /** While a loop may become blocked the clock is read this often, so that pauses of the process are told. */
    static final long FINE_MILLIS = 20;

    /** A reader looks itself unless there was a look within this time. */
    static final long FRESH_NANOS = 100 * MILLISECOND;

    /** What could not be said is tried again after this. */
    static final long UNSAID_MILLIS = 100;

    /** No more tasks wait to be done by the WatchThread. */
    static final int MAX_TASKS = 1024;

    // Blocked and lost: WatchedLoop.

    /** A loop that has not selected for this time, though there are events, is stalled. */
    static final long STALLED_NANOS = 100 * MILLISECOND;

    /** A thread whose loop has not selected for this time counts as lost if it has ended or left. */
    static final long LOST_NANOS = 10 * SECOND;

    /** A thread that does not select for this time may have left the loop in peace. */
    static final long LEFT_NANOS = SECOND;

    /** One thread may prepare a selector, and another one serve it. More are a pool's, which take turns. */
    static final int MAX_THREADS = 2;

    /** The next warning of the same stretch comes after this many times as long. */
    static final int NEXT = 10;

    /** A thread that was on a processor for this part of the time between two looks was not waiting: one of two. */
    static final int RUNNING = 2;

    /** Times of a thread that differ by less than this part of them are told as one. */
    static final int NOTABLE = 10;

    /** Times that are nearer to each other are the same: they are not read at one moment. */
    static final long SAME_NANOS = MILLISECOND;

    // By which a spin or a storm goes on after it was found: Rates. When one is found is below.

    /** Selections in a second, with hardly a wait that blocks. */
    static final int SPIN_RATE = 1024;

    /** Wakeups in a second, with hardly a ready key. */
    static final int STORM_RATE = 4096;

    /** This share of selections, or of wakeups, is the exception. */
    static final int EXCEPTION = 16;

    /** A refusal is shown for this time, also if nothing is refused any more. */
    static final long REFUSED_NANOS = 2 * SECOND;

    // Keys that make a selector spin: SpinDetector, Suspect.

    /**
     * Number of waits between two looks at the clock, for spins and for storms. A selector is examined only after such
     * a number in less than {@link #MANY_WAITS_NANOS}, or in less than a second without one that blocked.
     */
    static final int CHECK_INTERVAL = 1024;

    /** Waits from one sample to the next, on average. */
    static final int MEAN_STRIDE = 64;

    /** A channel that is never used is named after that: another thread may be about to read. */
    static final long MIN_EXAMINED_NANOS = SECOND / 10;

    /** The time between two samples counts for no more than this: in a pause the application could not have read. */
    static final long MAX_BETWEEN_SAMPLES = MIN_EXAMINED_NANOS / 4;

    /** Examinations are no nearer to each other, since a healthy selector under load has them all the time. */
    static final long REST_NANOS = SECOND / 4;

    /** A loop that accepts a connection in each selection, or sends itself one, is slower than this. */
    static final long MIN_ACCEPT_NANOS = 5_000;

    static final int MAX_SUSPECTS = 16;

    /** No more keys of one selector are told. All are counted. */
    static final int MAX_KEYS_TOLD = 16;

    /** With fewer samples it is not decided. */
    static final int MIN_SAMPLES_UNUSED = 32, MIN_SAMPLES = 64;

    /** The fewest samples that say something of one selector among several. */
    static final int FEWEST_SAMPLES = 2;

    /** Of all samples: a channel that is absent from fewer is reported all the time. */
    static final int MIN_ABSENT = 16;

    /** Samples that come before any share of them is looked at. */
    static final int FIRST_SAMPLES = 4;

    /** Samples without a free descriptor, before that is the reason. */
    static final int MIN_STARVED = 4;

    // Wakeups for nothing: WakeupStorms. MANY_WAITS_NANOS is SpinDetector's, too.

    /** CHECK_INTERVAL waits in less than this are many: more than 4096 in a second. */
    static final long MANY_WAITS_NANOS = SECOND / 4;

    /** With more keys than this it is not asked what is read and written. */
    static final int MAX_KEYS_ASKED = 256;

    /** A loop that is busy for longer than this after each wakeup, on average, does something with it. */
    static final long USE_NANOS = 5_000;

    /** One wait of this number may bring something else than a wakeup. */
    static final int FEW = 64;

    /** Looks without a ready key, before it is decided. */
    static final int MIN_QUIET = 4;

    /** A method that takes a task is no farther than this from its call of {@code wakeup}. */
    static final int NEAR_CALLS = 10;

    // Selectors that are replaced again and again: SelectorWatch.

    /** A selector that is closed within a second, with this number of selections, may have been replaced. */
    static final int MIN_SELECTIONS = 256, MAX_SELECTIONS = 4096;

    /** One of this number of its selections may have blocked, or, if it was woken all the time, may not be a wakeup. */
    static final int SOME = 8;

    /** How many there must be within a second. */
    static final int MIN_REBUILDS = 8;

    /** A warning of rebuilds is not repeated before that. */
    static final long SILENCE_NANOS = 60 * SECOND;

    // Stacks: Caller, LockOwner, HandlerFinder.

    /** More of a stack is not told. */
    static final int MAX_CALLS = 64;

    /** Of the classes that an attachment leads to no more are named. */
    static final int MAX_NAMES = 3;

    /** No more objects that an attachment leads to are looked at. */
    static final int MAX_OBJECTS = 2000;

    /** The stack of a thread is taken this often, until it is found outside of a selection. */
    static final int MAX_SAMPLES = 200;

    /** Of the stacks outside of a selection the deepest of this number is told: it leads farthest into the handler. */
    static final int ENOUGH_SAMPLES = 10;

    private Limits() {
    }
}
