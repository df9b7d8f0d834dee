// SPDX-License-Identifier: Apache-2.0
package dev.pollux.loading;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.loading.program.FirstConnection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What a VM loads until its first connection is answered: on that its time depends, which no test can measure. */
class StartIT {
    /** Classes that may be loaded more than with the JDK's selector, and how many of them may be our own. */
    private static final int MAX_MORE = 76;
    private static final int MAX_OURS = 72;

    /** With one processor, no class is loaded ahead. */
    private static final String ALONE = "-XX:ActiveProcessorCount=1";

    @ParameterizedTest
    @MethodSource("dev.pollux.loading.Jdk#all")
    void theFirstConnectionLoadsFewClasses(Jdk jdk) throws Exception {
        String ours = loaded(vm(jdk).provider("PolluxSelectorProvider"), ALONE);
        String jdks = loaded(vm(jdk), ALONE);
        long more = ours.lines().count() - jdks.lines().count();
        long own = own(ours).size();
        String counts = jdk + ": " + more + " more, " + own + " of our own";
        assertTrue(more > 0 && more <= MAX_MORE, counts);
        assertTrue(own > 0 && own <= MAX_OURS, counts);
        for (String absent : List.of("jdk.jfr.internal", "JfrEvents", "java.util.regex",
                "java.nio.channels.FileLock")) {
            assertFalse(ours.contains(absent), absent);
        }
        assertFalse(ours.lines().anyMatch(line -> line.startsWith("dev.pollux.") && line.contains("$$Lambda")));
    }

    @ParameterizedTest
    @MethodSource("dev.pollux.loading.Jdk#all")
    void anotherThreadLoadsAheadOnlyWhatIsNeeded(Jdk jdk) throws Exception {
        Set<String> ahead = own(loaded(vm(jdk).provider("PolluxSelectorProvider"), "-XX:ActiveProcessorCount=2"));
        ahead.removeAll(own(loaded(vm(jdk).provider("PolluxSelectorProvider"), ALONE)));
        // The watch thread may have begun.
        ahead.removeIf(name -> name.contains(".verdict.") || name.contains(".tell."));
        assertEquals(Set.of("dev.pollux.internal.startup.ClassPreloader"), ahead);
    }

    private static Set<String> own(String loaded) {
        return loaded.lines().filter(line -> line.startsWith("dev.pollux.") && !line.contains("program"))
                .map(line -> line.split(" ")[0]).collect(Collectors.toCollection(TreeSet::new));
    }

    private static Vm vm(Jdk jdk) {
        return Vm.on(jdk).classPath(PolluxJar.path(), PolluxJar.programs());
    }

    private static String loaded(Vm vm, String processors) throws Exception {
        String out = vm.with(processors, "-Xlog:class+load:stdout:none", "--enable-native-access=ALL-UNNAMED")
                .run(FirstConnection.class).succeeds().says("Selector").out();
        return out.substring(out.indexOf("FirstConnection"));
    }
}
