// SPDX-License-Identifier: Apache-2.0
package dev.pollux.tools.check;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.PolluxSelectorProvider;
import dev.pollux.tools.common.Bench;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.spi.SelectorProvider;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** Each check finds the faults that it is there for. All of them run at a time: most wait for what never comes. */
class ChecksTest {
    /** More than any check waits for an event; a check that is not done then waits for ever. */
    private static final long PATIENCE_SECONDS = 8;

    /** Counts those of the whole process. */
    private static final String DESCRIPTORS = "no descriptor left";

    private final SelectorProvider provider = new PolluxSelectorProvider();
    private final Map<String, FutureTask<Void>> running = new LinkedHashMap<>();

    /** Where what is allocated goes to, so that it is allocated. */
    private volatile Object garbage;

    @AfterEach
    void end() {
        running.values().forEach(check -> check.cancel(true));
    }

    @Test
    void aSelectorWithoutFaultFailsNone() throws Exception {
        Set<String> together = new LinkedHashSet<>(Trials.STEPS.keySet());
        together.remove(DESCRIPTORS);
        assertEquals(Set.of(), failed(selector -> selector, together));
        assertEquals(Set.of(), failed(selector -> selector, Set.of(DESCRIPTORS)));
    }

    @Test
    void oneThatNeverReportsAnythingFailsWhateverWaitsForAnEvent() throws Exception {
        Set<String> concerned = Set.of("connect", "accept", "read", "write", "half-close", "reset", "out-of-band data",
                "interest, threads", "cancel, reuse", "datagrams", "pipe", "Unix-domain socket", "1000 channels");
        assertEquals(concerned, failed(selector -> new FaultySelector(selector) {
            @Override
            public int select(long timeout) throws IOException {
                real.select(timeout);
                real.selectedKeys().clear();
                return 0;
            }
        }, concerned));
    }

    @Test
    void oneThatReportsWhatIsNotThereFailsWhateverExpectsNothing() throws Exception {
        Set<String> concerned = Set.of("accept", "read", "out-of-band data", "interest, threads", "cancel, reuse",
                "datagrams", "pipe", "Unix-domain socket", "1000 channels");
        assertEquals(concerned, failed(selector -> new FaultySelector(selector) {
            @Override
            public int selectNow() throws IOException {
                return real.selectNow() + 1;
            }
        }, concerned));
    }

    /** Its check is a program of its own, on a selector without fault. */
    @Test
    void theProgramOfTheBatchFailsOnASelectorThatReportsNothing() throws Exception {
        UnaryOperator<Selector> fault = selector -> new FaultySelector(selector) {
            @Override
            public int select(long timeout) throws IOException {
                real.select(timeout);
                real.selectedKeys().clear();
                return 0;
            }
        };
        try (Bench bench = new Bench(provider, fault)) {
            assertThrows(IOException.class, () -> BatchProgram.check(bench));
        }
        try (Bench bench = new Bench(provider, selector -> selector)) {
            BatchProgram.check(bench);
        }
    }

    @Test
    void oneThatForgetsAWakeupFailsThatOfWakeups() throws Exception {
        assertFails("wakeup", selector -> new FaultySelector(selector) {
            private int count;

            @Override
            public Selector wakeup() {
                return ++count == 50 ? this : super.wakeup();
            }
        });
    }

    @Test
    void oneThatReturnsTooEarlyFailsThatOfTimeouts() throws Exception {
        assertFails("timeouts, signals", selector -> new FaultySelector(selector) {
            @Override
            public int select(long timeout) throws IOException {
                return timeout > 10 ? real.select(timeout - 10) : real.select(timeout);
            }
        });
    }

    @Test
    void oneThatReturnsTooLateFailsThatOfTimeouts() throws Exception {
        assertFails("timeouts, signals", selector -> new FaultySelector(selector) {
            @Override
            public int select(long timeout) throws IOException {
                return real.select(timeout > 50 ? timeout + Bench.MAX_WAIT_MILLIS : timeout);
            }
        });
    }

    @Test
    void oneThatAllocatesFailsThatOfGarbage() throws Exception {
        assertFails("no garbage", selector -> new FaultySelector(selector) {
            @Override
            public int select(Consumer<SelectionKey> action) throws IOException {
                garbage = new Object();
                return real.select(action);
            }
        });
    }

    @Test
    void oneThatIsNeverClosedFailsThatOfDescriptors() throws Exception {
        assertFails(DESCRIPTORS, selector -> new FaultySelector(selector) {
            @Override
            public void close() {
                // the fault
            }
        });
    }

    @Test
    void checksThatHadNoTimeHaveAnExitCodeOfTheirOwn() {
        StringWriter printed = new StringWriter();
        for (String[] line : new String[][] {{}, {"--json"}}) {
            CommandLine command = new CommandLine(new Check(new Trials(mechanism -> provider, 0)));
            assertEquals(3, command.setOut(new PrintWriter(printed)).execute(line), printed::toString);
        }
        assertTrue(printed.toString().contains(" checks had no time. This says nothing of them"), printed::toString);
    }

    private void assertFails(String check, UnaryOperator<Selector> fault) throws Exception {
        assertEquals(Set.of(check), failed(fault, Set.of(check)));
        assertTrue(Trials.STEPS.containsKey(check));
    }

    private Set<String> failed(UnaryOperator<Selector> view, Set<String> checks) throws InterruptedException {
        for (String check : checks) {
            FutureTask<Void> task = new FutureTask<>(() -> {
                try (Bench bench = new Bench(provider, view)) {
                    Trials.STEPS.get(check).run(bench);
                }
                return null;
            });
            running.put(check, task);
            Thread thread = new Thread(task, check);
            thread.setDaemon(true);
            thread.start();
        }
        Set<String> failed = new TreeSet<>();
        for (String check : checks) {
            try {
                running.get(check).get(PATIENCE_SECONDS, TimeUnit.SECONDS);
            } catch (TimeoutException e) {
                failed.add(check);
            } catch (ExecutionException e) {
                if (!(e.getCause() instanceof SkippedException)) {
                    failed.add(check);
                }
            }
        }
        return failed;
    }
}
