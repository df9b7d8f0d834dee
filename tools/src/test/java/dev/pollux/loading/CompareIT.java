// SPDX-License-Identifier: Apache-2.0
package dev.pollux.loading;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** {@code java -jar pollux-tools.jar compare}: it measures both, and tells what it can't. Words: {@code RowTest}. */
class CompareIT {
    private static final List<String> CASES = List.of("selection, 1 ready key", "selection, 100 ready keys",
            "selection, 1000 ready keys", "wakeup and selection", "interest off, on, 2 selections",
            "write and read of a socket, 1 KiB", "round trip between threads", "round trip, spin of 50 us",
            "event loop, 32 requests");
    private static final String VERDICT = "(more|less|no difference beyond noise|too busy to tell).*";

    /** The output is a pipe here. */
    @Test
    void itSaysFirstWhatItWillDoAndThenHowFarItIs() throws Exception {
        List<String> lines = ToolsJar.run(Vm.on(Jdk.running()), "compare", "--seconds", "10").succeeds().out().lines()
                .toList();
        assertTrue(lines.get(0).matches("Comparing .* and on Pollux, in turns of 20 ms, for 10 seconds."),
                lines::toString);
        assertTrue(lines.get(1).matches("\\d+ of 10 seconds: (warming up|\\d+ rounds, an event loop so far: "
                + VERDICT + ")"), lines::toString);
        assertTrue(lines.get(lines.size() - 1).startsWith("In the same time an event loop of 32 connections"),
                lines::toString);
    }

    @ParameterizedTest
    @MethodSource("dev.pollux.loading.Jdk#all")
    void eachOperationHasALineWithItsVerdict(Jdk jdk) throws Exception {
        Vm.Result result = compare(Vm.on(jdk)).succeeds().warnsOfNothing();
        for (String name : CASES) {
            assertTrue(result.out().lines().anyMatch(line -> line.matches(name + " +\\d+ +\\d+  " + VERDICT
                    + " +\\d+ +\\d+")), result::toString);
        }
        result.says("System calls of sockets on Pollux here: ");
        boolean batches = result.out().contains("-Ddev.pollux.batch=all here: possible.");
        assertEquals(batches, result.out().contains("event loop, 32 requests, batch=all "), result::toString);
        result.says("Of " + (batches ? 10 : 9) + " operations Pollux is faster in ");
        result.says("answers on this machine: by default ");
        assertEquals(batches, result.out().contains(", and beside the default "), result::toString);
    }

    @Test
    void jsonIsOneObjectForScripts() throws Exception {
        String out = compare(Vm.on(Jdk.running()), "--json").succeeds().warnsOfNothing().out();
        assertEquals("sun.nio.ch.EPollSelectorImpl", JsonReader.read(out, "jdkSelector"));
        assertTrue(((String) JsonReader.read(out, "gains")).contains("answers on this machine: by default "), out);
        for (int i = 0; i < CASES.size(); i++) {
            Object row = JsonReader.read(out, "cases", i);
            assertEquals(CASES.get(i), JsonReader.in(row, "case"));
            assertTrue((double) JsonReader.in(row, "jdkNanos") > 0, out);
            assertTrue((double) JsonReader.in(row, "ratioLow") <= (double) JsonReader.in(row, "ratio"), out);
            assertTrue((double) JsonReader.in(row, "polluxBytes") >= 0, out);
            assertTrue(List.of("faster", "slower", "same").contains(JsonReader.in(row, "verdict")), out);
        }
    }

    @Test
    void aLimitOfDescriptorsMeansFewerKeys() throws Exception {
        compare(Vm.on(Jdk.running()).through("sh", "-c", "ulimit -n 256 && exec \"$@\"", "sh")).succeeds()
                .says("Not 1000 keys, but ", "raise the limit of open files");
    }

    @Test
    void aRuntimeWithoutTheModuleThatCountsBytesSaysSo() throws Exception {
        String modules = "JDK_JAVA_OPTIONS=--limit-modules java.base"; // what it starts must lack it, too
        Vm vm = Vm.on(Jdk.running()).through("env", modules);
        compare(vm).succeeds().says("Bytes were not counted: ", "jdk.management");
    }

    /** Then the other virtual machine would be ours, too. */
    @Test
    void anAgentForAllProgramsIsNamed() throws Exception {
        compare(Vm.on(Jdk.running()).through("env", "JAVA_TOOL_OPTIONS=-javaagent:" + PolluxJar.path())).fails()
                .warns("the JDK's own selector is not available").warns("JAVA_TOOL_OPTIONS");
    }

    private static Vm.Result compare(Vm vm, String... more) throws IOException, InterruptedException {
        List<String> options = new ArrayList<>(List.of("--seconds", "1"));
        options.addAll(List.of(more));
        return ToolsJar.run(vm, "compare", options.toArray(String[]::new));
    }
}
