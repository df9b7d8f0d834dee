// SPDX-License-Identifier: Apache-2.0
package dev.pollux.soak;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** All scenarios side by side, once. */
final class Round {
    private static final int PATIENCE_SECONDS = 30;
    private static final long FIGURES_SECONDS = 60;

    private final List<Scenario> scenarios;
    private final List<Scenario> skipped = new ArrayList<>();
    private Usage early;
    private Usage late;

    Round(Site site) {
        scenarios = new ArrayList<>(Site.isScarce() ? List.of(new LittleMemory(site)) : all(site));
        scenarios.removeIf(scenario -> scenario.skipped() != null && skipped.add(scenario));
    }

    private static List<Scenario> all(Site site) {
        return List.of(new HandOff(site), new ToggledInterest(site), new Reregistration(site),
                new ThrowingActions(site), new SharedSelector(site), new ClosedSelectors(site),
                new Cancellations(site), new Pings(site, false), new Pings(site, true), new ParkedThreads(site),
                new PollerEcho(site), new PollerMembers(site), new Timeouts(site), new Datagrams(site),
                new SecureRelay(site), new FailingEngines(site), new DeadLoops(site), new DescriptorLimit(site));
    }

    List<Scenario> scenarios() {
        return scenarios;
    }

    List<Scenario> skipped() {
        return skipped;
    }

    /** What was held after a quarter of the time, with everything running. */
    Usage early() {
        return early;
    }

    /** What was held at last, with everything running. */
    Usage late() {
        return late;
    }

    /** @throws Stalled at the first failure; then threads are left behind */
    void run(long seconds) throws Exception {
        for (Scenario scenario : scenarios) {
            scenario.start();
        }
        long start = System.nanoTime();
        long minutes = 0;
        for (long now = 0; now < seconds;) {
            Thread.sleep(1000);
            now = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - start);
            watch();
            if (early == null && now >= seconds / 4) {
                early = usage();
            }
            if (now / FIGURES_SECONDS > minutes) {
                minutes = now / FIGURES_SECONDS;
                System.out.println(minutes + " min: " + events() + " events and wakeups, " + usage());
            }
        }
        late = usage();
        scenarios.forEach(Scenario::stop);
        for (Scenario scenario : scenarios) {
            finish(scenario);
        }
    }

    /** Looks on until the scenario has come to its end. */
    private void finish(Scenario scenario) throws Exception {
        FutureTask<Void> end = new FutureTask<>(() -> {
            scenario.finish();
            return null;
        });
        new Thread(end, "finish " + scenario.name()).start();
        while (true) {
            try {
                end.get(1, TimeUnit.SECONDS);
                requireNoFailure(scenario);
                return;
            } catch (TimeoutException e) {
                watch();
            }
        }
    }

    /** Tries again while {@link DescriptorLimit} holds all descriptors. */
    private Usage usage() throws Exception {
        while (true) {
            try {
                return Usage.now();
            } catch (IOException | IllegalStateException e) {
                Thread.sleep(1000);
                watch();
            }
        }
    }

    /** Once a second. */
    private void watch() throws Stalled {
        for (Scenario scenario : scenarios) {
            requireNoFailure(scenario);
            Flow flow = scenario.stalled(PATIENCE_SECONDS);
            if (flow != null) {
                throw new Stalled(scenario, new IllegalStateException("an event or a wakeup was lost: " + flow));
            }
        }
    }

    private static void requireNoFailure(Scenario scenario) throws Stalled {
        if (scenario.failure() != null) {
            throw new Stalled(scenario, scenario.failure());
        }
    }

    private long events() {
        return scenarios.stream().map(scenario -> scenario.tally)
                .mapToLong(tally -> tally.events.sum() + tally.wakeups.sum()).sum();
    }

    /** A scenario does not go on. */
    static final class Stalled extends Exception {
        private static final long serialVersionUID = 1;

        final transient Scenario scenario;

        Stalled(Scenario scenario, Throwable cause) {
            super(scenario.name(), cause);
            this.scenario = scenario;
        }
    }
}
