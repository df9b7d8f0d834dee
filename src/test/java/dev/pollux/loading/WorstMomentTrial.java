// SPDX-License-Identifier: Apache-2.0
package dev.pollux.loading;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.loading.program.WorstMoment;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Pollux finds a fault while the process is at a limit, and the program has not logged before. When there is room again
 * the program is as whole as on the JDK's provider, and the warning has been logged, late or not.
 */
class WorstMomentTrial {
    private static final String DESCRIPTORS = "descriptors";
    private static final String PROVIDER =
            "-Djava.nio.channels.spi.SelectorProvider=dev.pollux.PolluxSelectorProvider";
    private static final String OFF = "-Ddev.pollux.watch=off";

    /**
     * Which files are open already differs: a jar is, each class of a folder is one more. What is missing there is not
     * found any more, so that nothing may be said; but the program is whole.
     */
    private enum From { JAR, FOLDER }

    /** A limit, how a program gets there, and the words that must name what spins meanwhile. */
    private enum AtLimit {
        ACCEPT(DESCRIPTORS, "accept", "before", "accept fails, since no descriptor is left"),
        KEY(DESCRIPTORS, "key", "before", "data has arrived that is not read. Channel java.nio.channels.SocketChannel"),
        /** The first wait is made at the limit. What is said of it may depend on what can be loaded. */
        COLD(DESCRIPTORS, "key", "at", ""),
        /** Without memory nothing is examined: what spins later is named. */
        HEAP_OF_2_KB("heap of 2 KB", "key", "before", ""),
        HEAP_OF_16_KB("heap of 16 KB", "key", "before", ""),
        THREADS("threads", "key", "at", KEY.words),
        STACK("stack", "key", "before", KEY.words);

        private final String name;
        private final String fault;
        private final String firstWait;
        private final String words;

        AtLimit(String name, String fault, String firstWait, String words) {
            this.name = name;
            this.fault = fault;
            this.firstWait = firstWait;
            this.words = words;
        }

        /** The shell sets it. The virtual machine has four stacks of 64 MB and more when the address space ends. */
        private Vm vm(Jdk jdk, Path... classPath) {
            Vm vm = Vm.on(jdk).classPath(classPath);
            return switch (this) {
                case ACCEPT, KEY, COLD -> vm.through("bash", "-c", "ulimit -n 60; exec \"$0\" \"$@\"");
                case HEAP_OF_2_KB, HEAP_OF_16_KB -> vm.with("-Xmx16m", "-XX:+UseSerialGC");
                case THREADS -> vm.through("bash", "-c", "ulimit -v 3000000; exec \"$0\" \"$@\"").with("-Xmx64m",
                        "-Xss64m", "-XX:+UseSerialGC", "-XX:CompressedClassSpaceSize=64m",
                        "-XX:ReservedCodeCacheSize=64m");
                case STACK -> vm;
            };
        }

        /** Long enough for what spins to be found, if it {@code isWatched}. */
        Vm.Result run(Jdk jdk, From from, Path folder, String insight, String... options) throws Exception {
            boolean isWatched = options.length != 0 && !options[options.length - 1].equals(OFF);
            Path pollux = from == From.JAR ? PolluxJar.path() : PolluxJar.unpackedTo(folder);
            return vm(jdk, pollux, PolluxJar.programs()).with(options)
                    .run(WorstMoment.class, name, fault, firstWait, insight, isWatched ? "3" : "1")
                    .succeeds();
        }
    }

    static Stream<Arguments> cases() {
        return Stream.of(AtLimit.values()).map(limit -> Arguments.of(Jdk.running(), limit));
    }

    static Stream<Arguments> casesAndPlaces() {
        return cases().flatMap(each -> Stream.of(From.values())
                .filter(from -> from == From.JAR || each.get()[1] != AtLimit.COLD) // a selector's classes are missing
                .map(from -> Arguments.of(each.get()[0], each.get()[1], from)));
    }

    @ParameterizedTest
    @MethodSource("cases")
    void theProgramIsWholeOnTheJdksProvider(Jdk jdk, AtLimit limit, @TempDir Path folder) throws Exception {
        isWhole(limit.run(jdk, From.JAR, folder, "log"));
    }

    @ParameterizedTest
    @MethodSource("cases")
    void theProgramIsWholeWithoutDetectors(Jdk jdk, AtLimit limit, @TempDir Path folder) throws Exception {
        Vm.Result result = limit.run(jdk, From.JAR, folder, "log", PROVIDER, OFF);
        isWhole(result);
        assertFalse(result.err().contains("spins, "), result::toString);
    }

    @ParameterizedTest
    @MethodSource("casesAndPlaces")
    void theProgramIsWholeAndWarned(Jdk jdk, AtLimit limit, From from, @TempDir Path folder) throws Exception {
        if (from == From.JAR) {
            isWholeAndWarned(limit, limit.run(jdk, from, folder, "log", PROVIDER));
        } else {
            isWhole(limit.run(jdk, from, folder, "log", PROVIDER));
        }
    }

    @ParameterizedTest
    @MethodSource("cases")
    void aRecordingThatRunsHasTheFault(Jdk jdk, AtLimit limit, @TempDir Path folder) throws Exception {
        Vm.Result result = limit.run(jdk, From.JAR, folder, "jfr", PROVIDER);
        isWholeAndWarned(limit, result);
        assertTrue(result.out().contains("dev.pollux.Spin=" + (limit.words.isEmpty() ? "" : "2")), result::toString);
    }

    @ParameterizedTest
    @MethodSource("cases")
    void aRecordingThatBeginsAtTheLimitBreaksNothing(Jdk jdk, AtLimit limit, @TempDir Path folder) throws Exception {
        Vm.Result result = limit.run(jdk, From.JAR, folder, "jfr-later", PROVIDER);
        if (limit == AtLimit.HEAP_OF_2_KB || limit == AtLimit.HEAP_OF_16_KB) {
            isWhole(result); // the recorder has the heap collected all the time: nothing spins that fast
        } else {
            isWholeAndWarned(limit, result);
        }
    }

    @ParameterizedTest
    @MethodSource("cases")
    void aListenerIsNotified(Jdk jdk, AtLimit limit, @TempDir Path folder) throws Exception {
        Vm.Result result = limit.run(jdk, From.JAR, folder, "jmx", PROVIDER, "-Ddev.pollux.jmx=true");
        isWholeAndWarned(limit, result);
        result.says("whole: LoopsBean", "notified [dev.pollux.spin]");
    }

    private static void isWhole(Vm.Result result) {
        List<String> broken = result.out().lines().filter(line -> line.startsWith("broken: ")).toList();
        assertTrue(broken.isEmpty(), result::toString);
        assertFalse(result.err().contains("in thread \"Pollux"), result::toString); // one of ours has died
        result.warns("by System.Logger").warns("by java.util.logging").says("whole: recording");
    }

    /** What spins afterwards is named as well. */
    private static void isWholeAndWarned(AtLimit limit, Vm.Result result) {
        isWhole(result);
        result.warns(limit.words);
        result.warns("the stream has ended, or there is no connection. Channel java.nio.channels.Pipe.SourceChannel");
    }
}
