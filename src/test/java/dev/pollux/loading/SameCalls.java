// SPDX-License-Identifier: Apache-2.0
package dev.pollux.loading;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.List;

/** Runs a program on the JDK's own native methods and on ours, and compares what it writes, line by line. */
final class SameCalls {

    /** What a program of {@code dev.pollux.loading.calls} says first. */
    private static final String REPLACED = "replaced: ", NONE = REPLACED + "null";

    /** What a program says that needs strace, which is not permitted everywhere. */
    private static final String UNAVAILABLE = "strace cannot attach";

    private SameCalls() {
    }

    static void compare(Jdk jdk, Class<?> program, String... arguments) throws Exception {
        List<String> theirs = transcript(vm(jdk, "off").run(program, arguments));
        assertEquals(NONE, theirs.get(0));
        List<String> ours = transcript(replacing(jdk).run(program, arguments));
        requireReplaced(ours.get(0));
        for (int i = 1; i < Math.min(theirs.size(), ours.size()); i++) {
            assertEquals(theirs.get(i), ours.get(i));
        }
        assertEquals(theirs.size(), ours.size());
        assertTrue(theirs.size() > 10, theirs::toString);
    }

    /** A VM whose native methods are ours, wherever that is possible. */
    static Vm replacing(Jdk jdk) {
        return vm(jdk, "on");
    }

    private static Vm vm(Jdk jdk, String calls) {
        return Vm.on(jdk).with("-Ddev.pollux.calls=" + calls).classPath(PolluxJar.path(), PolluxJar.programs());
    }

    private static List<String> transcript(Vm.Result result) {
        assumeFalse(result.err().contains(UNAVAILABLE), result::err);
        return result.succeeds().out().lines().toList();
    }

    /** Skips the test where returns can't be covered: on other systems and processors, and with shadow stacks. */
    static void requireReplaced(String output) {
        assumeTrue(output.contains(REPLACED) && !output.contains(NONE), "native methods can't be replaced here");
        for (String name : List.of("SocketDispatcher.read0", "DatagramChannelImpl.receive0", "Net.poll", ".writev0")) {
            assertTrue(output.contains(name), output);
        }
    }
}
