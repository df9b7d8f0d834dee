// SPDX-License-Identifier: Apache-2.0
package dev.pollux.soak;

import dev.pollux.lab.Descriptors;
import dev.pollux.lab.SignalStorm;
import java.io.IOException;
import java.nio.channels.Selector;
import java.nio.channels.spi.SelectorProvider;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * Runs all scenarios, once to warm up and once for the time asked for, and looks what is left behind. Prints figures,
 * and as its last line "N passed, N failed, N skipped".
 */
public final class Main {
    private static final long WARM_UP_SECONDS = 20;
    private static final long LIVE_GROWTH = 2 << 20;
    private static final long RESIDENT_GROWTH = 64 << 20;

    /** The scheduler of virtual threads ends the threads that it lent after half a minute or so. */
    private static final int PATIENCE_SECONDS = 120;

    private final Site site;
    private final Path stacks;
    private int passed;
    private int failed;
    private int skipped;

    private Main(Site site, Path stacks) {
        this.site = site;
        this.stacks = stacks;
    }

    /** @param arguments the mechanism that is expected, seconds, a file for the stacks of all threads if it fails */
    public static void main(String[] arguments) throws Exception {
        Path folder = Files.createTempDirectory("soak");
        boolean success;
        try (SignalStorm storm = SignalStorm.start()) {
            Site site = new Site(SelectorProvider.provider(), arguments[0], folder, storm);
            success = new Main(site, Path.of(arguments[2])).run(Long.parseLong(arguments[1]));
        }
        delete(folder);
        Runtime.getRuntime().halt(success ? 0 : 1); // not exit: a failure leaves threads behind
    }

    /** A failure leaves sockets in it. */
    private static void delete(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file : files.toList()) {
                Files.delete(file);
            }
        }
        Files.delete(folder);
    }

    private boolean run(long seconds) throws Exception {
        try (Selector selector = site.provider().openSelector()) {
            System.out.println("JDK " + Runtime.version() + ", " + selector);
            boolean right = selector.toString().contains("PolluxSelector@")
                    && selector.toString().contains('[' + site.mechanism() + ',');
            check("the selector is the one asked for", right, selector);
        }
        try {
            new Round(site).run(Math.min(WARM_UP_SECONDS, seconds));
            Usage before = Usage.now();
            System.out.println("before:  " + before);
            runAndReport(seconds);
            checkLeaks(before);
        } catch (Round.Stalled e) {
            failed++;
            System.out.println("FAILED: " + e);
            e.printStackTrace(System.out);
            System.out.println(e.scenario.state());
            Diagnostics.dumpStacks(stacks);
        } catch (Exception e) {
            failed++;
            e.printStackTrace(System.out);
        }
        System.out.println(passed + " passed, " + failed + " failed, " + skipped + " skipped");
        return failed == 0;
    }

    /** The round is garbage when this returns. */
    private void runAndReport(long seconds) throws Exception {
        Round round = new Round(site);
        round.run(seconds);
        System.out.println("running: " + round.early());
        System.out.println("running: " + round.late());
        checkGrowth("while everything runs", round.early(), round.late());
        for (Scenario scenario : round.scenarios()) {
            Tally tally = scenario.tally;
            check(scenario.name(), scenario.cutsConnections() || tally.sent.sum() == tally.returned.sum(), tally);
        }
        for (Scenario scenario : round.skipped()) {
            skipped++;
            System.out.println("skipped: " + scenario.name() + ": " + scenario.skipped());
        }
    }

    private void checkLeaks(Usage before) throws Exception {
        Usage after = Usage.now();
        for (int i = 0; i < PATIENCE_SECONDS && !isSettled(before, after); i++) {
            Thread.sleep(1000);
            after = Usage.now();
        }
        System.out.println("after:   " + after);
        List<String> descriptors = Descriptors.more(before.descriptors(), after.descriptors());
        check("no descriptor is left", descriptors.isEmpty(), descriptors);
        check("no thread is left", moreThreads(before, after).isEmpty(), moreThreads(before, after));
        check("no carrier is left", after.carriers() <= carriers(), after.carriers());
        checkGrowth("in the end", before, after);
    }

    private void checkGrowth(String when, Usage before, Usage after) {
        long live = after.heap() - before.heap();
        long resident = after.resident() - before.resident();
        check("no objects pile up " + when, live < LIVE_GROWTH, live + " bytes");
        check("no memory piles up " + when, resident < RESIDENT_GROWTH, resident + " bytes");
    }

    private static boolean isSettled(Usage before, Usage after) {
        return Descriptors.more(before.descriptors(), after.descriptors()).isEmpty()
                && moreThreads(before, after).isEmpty() && after.carriers() <= carriers();
    }

    private static int carriers() {
        return Runtime.getRuntime().availableProcessors();
    }

    private static List<String> moreThreads(Usage before, Usage after) {
        List<String> more = new ArrayList<>(after.threads());
        before.threads().forEach(more::remove);
        return more;
    }

    private void check(String what, boolean holds, Object figures) {
        if (holds) {
            passed++;
        } else {
            failed++;
        }
        System.out.println((holds ? "ok: " : "FAILED: ") + what + ": " + figures);
    }
}
