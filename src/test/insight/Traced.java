// SPDX-License-Identifier: Apache-2.0
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;

/**
 * Compares what the loops of a server say of themselves with the system calls that strace has seen. Arguments: the
 * recording, a folder with a file for each thread. Prints both; its exit code is 0 if they are equal within 1 %.
 */
public final class Traced {
    /** What is done between the last report of a loop and the end of the server. */
    private static final double TOLERANCE = 0.01;

    /** At most one selection in 64 polls in vain, and makes a second wait. */
    private static final double POLLING = 1.0 / 64;

    private static final Pattern WAIT = Pattern.compile("epoll_p?wait2?\\(.*");
    private static final Pattern POLL = Pattern.compile("epoll_p?wait\\(.*, 0(, NULL, 8)?\\) += .*");
    private static final Pattern CHANGE = Pattern.compile("epoll_ctl\\(.*");
    private static final Pattern WAKEUP = Pattern.compile("write\\(\\d+, \"\\\\1(\\\\0){7}\", 8\\) .*");

    private final Map<Pattern, Long> calls = new HashMap<>();
    private boolean fine = true;

    private Traced() {
    }

    public static void main(String[] arguments) throws IOException {
        Traced traced = new Traced();
        try (Stream<Path> threads = Files.list(Path.of(arguments[1]))) {
            for (Path thread : (Iterable<Path>) threads::iterator) {
                Files.readAllLines(thread).forEach(traced::count);
            }
        }
        Collection<RecordedEvent> loops = last(RecordingFile.readAllEvents(Path.of(arguments[0])));
        long waits = traced.calls(WAIT);
        traced.limit(waits, sum(loops, "selections"), sum(loops, "lazyDisarms"));
        traced.compare("waits that block", waits - traced.calls(POLL), sum(loops, "blockedWaits"));
        traced.compare("calls of epoll_ctl", traced.calls(CHANGE), sum(loops, "changes"));
        traced.compare("wakeups by a call", traced.calls(WAKEUP), sum(loops, "wakeupCalls"));
        System.exit(traced.fine ? 0 : 1);
    }

    private void count(String line) {
        for (Pattern pattern : List.of(WAIT, POLL, CHANGE, WAKEUP)) {
            if (pattern.matcher(line).matches()) {
                calls.merge(pattern, 1L, Long::sum);
            }
        }
    }

    private long calls(Pattern pattern) {
        return calls.getOrDefault(pattern, 0L);
    }

    /** The last report of each loop, which has the counts since it was opened. */
    private static Collection<RecordedEvent> last(List<RecordedEvent> events) {
        Map<Long, RecordedEvent> last = new HashMap<>();
        for (RecordedEvent event : events) {
            if (event.getEventType().getName().equals("dev.pollux.SelectorStatistics")) {
                last.merge(event.getLong("loop"), event,
                        (one, other) -> one.getLong("selections") > other.getLong("selections") ? one : other);
            }
        }
        return last.values();
    }

    private static long sum(Collection<RecordedEvent> loops, String field) {
        return loops.stream().mapToLong(loop -> loop.getLong(field)).sum();
    }

    /** Each selection makes a wait, and another one after a poll in vain or a late event of a key that was disarmed. */
    private void limit(long seen, long selections, long lazyDisarms) {
        boolean right = selections <= seen && seen <= (1 + POLLING + TOLERANCE) * selections + lazyDisarms;
        fine &= right;
        System.out.printf("  waits: strace has seen %d; %d selections, %d lazy disarms%s%n", seen,
                selections, lazyDisarms, right ? "" : ", WRONG");
    }

    private void compare(String what, long seen, long counted) {
        boolean equal = counted > 0 && Math.abs(seen - counted) <= TOLERANCE * seen;
        fine &= equal;
        System.out.printf("  %s: strace has seen %d, the loops have counted %d%s%n", what, seen, counted,
                equal ? "" : ", WRONG");
    }
}
