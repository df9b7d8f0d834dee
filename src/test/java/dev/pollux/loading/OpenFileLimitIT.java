// SPDX-License-Identifier: Apache-2.0
package dev.pollux.loading;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.pollux.loading.program.OpenAtFileLimit;
import dev.pollux.loading.program.OpenUntilFull;
import dev.pollux.loading.program.PollAtFileLimit;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** When the process may open no more files, every open form says so as the JDK does, and nothing is lost. */
class OpenFileLimitIT {

    @ParameterizedTest
    @ValueSource(strings = {"selector", "socket", "server", "datagram", "pipe"})
    void theLimitIsReportedAndEndsWhenFilesAreClosed(String form) throws Exception {
        Vm.on(Jdk.running()).through("bash", "-c", "ulimit -n 100; exec \"$0\" \"$@\"")
                .classPath(PolluxJar.path(), PolluxJar.programs()).provider("EPollSelectorProvider")
                .run(OpenUntilFull.class, form).succeeds().says("Too many open files", "works again");
    }

    /** A jar is open all the time. Of a folder each class is a file that must be opened to be read. */
    @ParameterizedTest
    @ValueSource(strings = {"epoll", "poll"})
    void noClassOfAnOpenPollerIsLostWhereNoFileCanBeOpened(String mechanism, @TempDir Path folder) throws Exception {
        for (Jdk jdk : Jdk.all()) {
            Vm.on(jdk).through("bash", "-c", "ulimit -n 100; exec \"$0\" \"$@\"")
                    .classPath(PolluxJar.unpackedTo(folder), PolluxJar.programs())
                    .run(PollAtFileLimit.class, mechanism).succeeds().says("Too many open files", "nothing is lost");
        }
    }

    /** What to do is said, and said once. */
    @Test
    void aProcessThatMayOpenHardlyAnyFileIsToldWhatToRaise() throws Exception {
        Vm.Result result = Vm.on(Jdk.running()).through("bash", "-c", "ulimit -n 8; exec \"$0\" \"$@\"")
                .run("-jar", PolluxJar.path().toString());
        assertEquals(1, result.exit(), result::toString);
        for (String part : List.of("to start takes 4 descriptors", "(ulimit -n)", "can't work here")) {
            assertEquals(2, result.out().split(Pattern.quote(part), -1).length, result::toString);
        }
    }

    /** On JDK 17, a class of the JDK that fails to open two in its initialiser is lost, and with it all channels. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 4, 5, 6, 7, 8})
    void aFirstSelectorThatMayOpenOnlySomeFilesLeavesNothingBroken(int more) throws Exception {
        for (Jdk jdk : Jdk.all()) {
            Vm.Result result = Vm.on(jdk).through("bash", "-c", "ulimit -n 100; exec \"$0\" \"$@\"")
                    .classPath(PolluxJar.path(), PolluxJar.programs()).provider("EPollSelectorProvider")
                    .run(OpenAtFileLimit.class, Integer.toString(more)).succeeds().says("selected 1");
            if (more < 4) {
                result.says("Too many open files");
            } else {
                result.says("first opened");
            }
        }
    }
}
