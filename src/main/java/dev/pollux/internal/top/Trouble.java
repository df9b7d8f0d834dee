// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.top;

import dev.pollux.internal.insight.Counter;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** What is wrong with a loop, the worst first. {@code STATE} begins with its words. */
enum Trouble {
    LOST_THREAD("thread lost", loop -> loop.now().is(Sample.LOST_THREAD)),
    STALLED("stalled", loop -> loop.now().is(Sample.STALLED)),
    BLOCKED("blocked", Trouble::isBlocked),
    SPINS("spins", Trouble::isSpinning),
    STORM("wakeup storm", loop -> isStorm(loop) && loop.now().value(Counter.WAKEUP_STORMS) > 0),
    WOKEN("woken", Trouble::isStorm),
    REFUSES("refuses", loop -> loop.growth(Counter.REFUSALS) > 0),
    NONE("", loop -> true);

    /** A loop is reported as blocked after this, unless a property says otherwise. */
    private static final long BLOCKED_NANOS = TimeUnit.SECONDS.toNanos(2);

    /** The lowest rates, for each second, at which spins and storms are found. */
    private static final int SPIN_RATE = 1024, STORM_RATE = 4096;

    /** A wakeup that makes the thread do this much on average has had a use. */
    private static final long USEFUL_NANOS = TimeUnit.MICROSECONDS.toNanos(5);

    /** This share of selections, or of wakeups, is the exception. */
    private static final int FEW = 16;

    private final String words;
    @SuppressWarnings("ImmutableEnumChecker") // a lambda without state
    private final Predicate<Interval> isIt;

    Trouble(String words, Predicate<Interval> isIt) {
        this.words = words;
        this.isIt = isIt;
    }

    static Trouble of(Interval loop) {
        return Stream.of(values()).filter(trouble -> trouble.isIt.test(loop)).findFirst().orElse(NONE);
    }

    /** {@return the words and how long it has lasted, or how often it happens, where that is known} */
    String describe(Interval loop) {
        return switch (this) {
            case STALLED, BLOCKED, SPINS -> words + ' ' + Table.time(loop.now().value(Sample.BUSY_NANOS));
            case WOKEN -> words + ' ' + Math.round(loop.perSecond(Counter.WAKEUPS)) + "/s";
            default -> words;
        };
    }

    /** It is counted once, when it is found, and lasts until the thread selects. */
    private static boolean isBlocked(Interval loop) {
        return loop.now().value(Counter.BLOCKAGES) > 0 && loop.now().value(Sample.BUSY_NANOS) >= BLOCKED_NANOS
                && loop.growth(Counter.SELECTIONS) == 0;
    }

    /** Each key is counted once, when it is found, and spins until the application changes something. */
    private static boolean isSpinning(Interval loop) {
        return loop.growth(Counter.SPINS) > 0 || loop.now().value(Counter.SPINS) > 0
                && loop.perSecond(Counter.SELECTIONS) >= SPIN_RATE
                && loop.growth(Counter.BLOCKED_WAITS) < loop.growth(Counter.SELECTIONS) / FEW;
    }

    /**
     * {@return whether it is woken again and again with next to nothing ready, and does nothing long} It is counted as
     * a storm only if the channels are not used either; else it may be tasks, each too short to tell.
     */
    private static boolean isStorm(Interval loop) {
        long wakeups = loop.growth(Counter.WAKEUPS);
        return loop.perSecond(Counter.WAKEUPS) >= STORM_RATE && loop.growth(Counter.READY) < wakeups / FEW
                && loop.busyNanos() / wakeups < USEFUL_NANOS;
    }
}
