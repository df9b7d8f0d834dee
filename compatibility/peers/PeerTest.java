// SPDX-License-Identifier: Apache-2.0
import java.util.EnumMap;
import java.util.Map;

/** How often one test of a suite has ended how, on each side. Not thread-safe. */
final class PeerTest {
    private final Map<Side, int[]> counts = new EnumMap<>(Side.class);

    /** How a test ends. Of two endings under one name the later one of these counts. */
    enum Ending {
        SKIPPED, PASSED, FAILED
    }

    void add(Side side, Ending ending) {
        counts.computeIfAbsent(side, unused -> new int[Ending.values().length])[ending.ordinal()]++;
    }

    private int count(Side side, Ending ending) {
        return counts.containsKey(side) ? counts.get(side)[ending.ordinal()] : 0;
    }

    private int runs(Side side) {
        return count(side, Ending.SKIPPED) + count(side, Ending.PASSED) + count(side, Ending.FAILED);
    }

    /** {@return its failures; if it has ended in each round on the JDK, a round without it is one} */
    int failures(Side side, int rounds) {
        return runs(Side.JDK) < rounds ? count(side, Ending.FAILED)
                : rounds - count(side, Ending.PASSED) - count(side, Ending.SKIPPED);
    }

    boolean isFault(int rounds) {
        return failures(Side.JDK, rounds) == 0 && runs(Side.JDK) > 0
                && 3 * Math.max(failures(Side.POLLUX, rounds), failures(Side.BATCH, rounds)) >= 2 * rounds;
    }

    boolean passesOnTheJdk() {
        return count(Side.JDK, Ending.PASSED) > 0;
    }
}
