// SPDX-License-Identifier: Apache-2.0
package dev.pollux.tools.check;

import dev.pollux.tools.check.Outcome.Result;
import dev.pollux.tools.common.Bench;
import java.io.IOException;
import java.net.SocketException;
import java.nio.channels.spi.SelectorProvider;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;

/** Runs all checks, each in a thread of its own, so that one that never ends is named, and the others go on. */
final class Trials {
    /** The time for all checks, on a machine that is not busy and on one that is. */
    private static final long ALL_MILLIS = 13_000, MAX_MILLIS = 120_000;

    /**
     * The time for each, in naps of a millisecond. A thread that naps waits for a processor after each, as the checks
     * do; so they have more time on a busy machine.
     */
    private static final long EACH_NAPS = 8_000;

    static final Map<String, Step> STEPS = new LinkedHashMap<>();

    static {
        STEPS.put("connect", StreamChecks::connect);
        STEPS.put("accept", StreamChecks::accept);
        STEPS.put("read", StreamChecks::read);
        STEPS.put("write", StreamChecks::write);
        STEPS.put("half-close", StreamChecks::halfClose);
        STEPS.put("reset", StreamChecks::reset);
        STEPS.put("out-of-band data", StreamChecks::outOfBand);
        STEPS.put("wakeup", WaitChecks::wakeup);
        STEPS.put("timeouts, signals", WaitChecks::timeoutsUnderSignals);
        STEPS.put("interest, threads", WaitChecks::interestFromOtherThreads);
        STEPS.put("cancel, reuse", WaitChecks::cancelAndReuse);
        STEPS.put("virtual threads", WaitChecks::virtualThreads);
        STEPS.put("datagrams", ChannelChecks::datagrams);
        STEPS.put("pipe", ChannelChecks::pipe);
        STEPS.put("Unix-domain socket", ChannelChecks::unixDomain);
        STEPS.put("inherited channel", ChannelChecks::inheritedChannel);
        STEPS.put("batch", ChannelChecks::batch);
        STEPS.put("1000 channels", ChannelChecks::manyChannels);
        STEPS.put("no garbage", ResourceChecks::allocation);
        STEPS.put("no descriptor left", ResourceChecks::descriptors);
    }

    private final Function<String, SelectorProvider> providers;
    private final long maxMillis;
    private final long began = System.nanoTime();
    private long naps;

    /** A check. */
    interface Step {
        void run(Bench bench) throws Exception;
    }

    /** Trials of the provider of each mechanism. */
    Trials(Function<String, SelectorProvider> providers) {
        this(providers, MAX_MILLIS);
    }

    /** The same, which have no more time than this even if the machine is busy. */
    Trials(Function<String, SelectorProvider> providers, long maxMillis) {
        this.providers = providers;
        this.maxMillis = maxMillis;
    }

    void runAll(String mechanism, Consumer<Outcome> report) {
        STEPS.forEach((name, step) -> {
            Outcome outcome = outcome(mechanism, name, () -> run(step, providers.apply(mechanism)));
            report.accept(outcome.result() == Result.FAILED ? besideTheJdk(outcome, step) : outcome);
        });
    }

    /** Whether it is our fault: what the JDK's own selector does here. */
    private Outcome besideTheJdk(Outcome ours, Step step) {
        SelectorProvider jdk = SelectorProvider.provider();
        if (!jdk.getClass().getName().startsWith("sun.")) {
            return ours;
        }
        Outcome theirs = outcome(ours.mechanism(), ours.check(), () -> run(step, jdk));
        String detail = ours.detail() + " (the JDK's own selector: " + theirs.result()
                + (theirs.detail().equals(ours.detail()) ? ", the same)" : ")");
        return new Outcome(ours.mechanism(), ours.check(), ours.result(), detail, ours.millis());
    }

    private static Void run(Step step, SelectorProvider provider) throws Exception {
        try (Bench bench = new Bench(provider)) {
            step.run(bench);
        }
        return null;
    }

    private Outcome outcome(String mechanism, String name, Callable<Void> work) {
        long start = System.nanoTime();
        if (!hasTime()) {
            return new Outcome(mechanism, name, Result.SKIPPED, Outcome.NO_TIME, 0);
        }
        Result result = Result.OK;
        String detail = "";
        FutureTask<Void> task = new FutureTask<>(work);
        Thread thread = new Thread(task, "Pollux check: " + name);
        thread.setDaemon(true);
        thread.start();
        try {
            if (hasEnded(thread)) {
                task.get();
            } else {
                boolean isOwnFault = hasTime();
                result = isOwnFault ? Result.FAILED : Result.SKIPPED;
                detail = isOwnFault ? "never ended; it was in " + place(thread.getStackTrace()) : Outcome.NO_TIME;
            }
        } catch (ExecutionException e) {
            Throwable why = e.getCause() instanceof ExecutionException ofAnother ? ofAnother.getCause() : e.getCause();
            result = why instanceof SkippedException ? Result.SKIPPED : Result.FAILED;
            detail = result == Result.SKIPPED ? why.getMessage() : advice(why);
        } catch (InterruptedException e) {
            throw new AssertionError(e); // no thread interrupts this program's first one
        }
        long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
        return new Outcome(mechanism, name, result, detail, millis);
    }

    private boolean hasTime() {
        long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began);
        boolean isBusy = naps < millis / 2; // else there were nearly as many as milliseconds
        return millis < (isBusy ? maxMillis : Math.min(ALL_MILLIS, maxMillis));
    }

    /** Waits for the end of a check for as long as it has time. */
    private boolean hasEnded(Thread check) throws InterruptedException {
        for (long i = 0; i < EACH_NAPS && check.isAlive() && hasTime(); i++) {
            check.join(1);
            naps++;
        }
        return !check.isAlive();
    }

    /** {@return what has happened, and what to do} */
    static String advice(Throwable failure) {
        String text = failure.getClass() == IOException.class ? failure.getMessage() : failure.toString();
        String message = text.toLowerCase(Locale.ROOT);
        if (message.contains("too many open files")) {
            return text + ". Raise the limit of open files (ulimit -n)";
        } else if (message.contains("permission denied") || message.contains("not permitted")) {
            return text + ". Something forbids it here: a sandbox, a filter of system calls, a security manager?";
        } else if (failure instanceof SocketException) {
            return text + ". The checks need the loopback address " + Bench.loopback().getHostAddress();
        } else if (message.startsWith("broken: ")) {
            return text.substring("broken: ".length()) + ": this promise is broken";
        }
        return text;
    }

    private static String place(StackTraceElement[] stack) {
        StringBuilder place = new StringBuilder();
        for (StackTraceElement frame : stack) {
            place.append(place.length() == 0 ? "" : " < ").append(frame);
            if (frame.getClassName().endsWith("Checks")) {
                break;
            }
        }
        return place.toString();
    }
}
