// SPDX-License-Identifier: Apache-2.0
package dev.pollux.loading;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.loading.program.FirstConnection;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What a VM loads until its first connection is answered: on that its time depends, which no test can measure. */
class StartIT {
    /** Classes that may be loaded more than with the JDK's selector, and how many of them may be our own. */
    private static final int MAX_MORE = 76;
    private static final int MAX_OURS = 72;

    @ParameterizedTest
    @MethodSource("dev.pollux.loading.Jdk#all")
    void theFirstConnectionLoadsFewClasses(Jdk jdk) throws Exception {
        String ours = loaded(Vm.on(jdk).classPath(PolluxJar.path(), PolluxJar.programs())
                .provider("PolluxSelectorProvider"));
        String jdks = loaded(Vm.on(jdk).classPath(PolluxJar.path(), PolluxJar.programs()));
        long more = ours.lines().count() - jdks.lines().count();
        long own = ours.lines().filter(line -> line.startsWith("dev.pollux.") && !line.contains("program")).count();
        String counts = jdk + ": " + more + " more, " + own + " of our own";
        assertTrue(more > 0 && more <= MAX_MORE, counts);
        assertTrue(own > 0 && own <= MAX_OURS, counts);
        for (String absent : List.of("jdk.jfr.internal", "JfrEvents", "java.util.regex",
                "java.nio.channels.FileLock")) {
            assertFalse(ours.contains(absent), absent);
        }
        assertFalse(ours.lines().anyMatch(line -> line.startsWith("dev.pollux.") && line.contains("$$Lambda")));
    }

    private static String loaded(Vm vm) throws Exception {
        String out = vm.with("-Xlog:class+load:stdout:none", "--enable-native-access=ALL-UNNAMED")
                .run(FirstConnection.class).succeeds().says("Selector").out();
        return out.substring(out.indexOf("FirstConnection"));
    }
}
