// SPDX-License-Identifier: Apache-2.0
package dev.pollux.loading;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.Attributes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What {@code java -jar pollux.jar} prints, and its exit code. */
class DiagnosisIT {

    @TempDir
    Path folder;

    @ParameterizedTest
    @MethodSource("dev.pollux.loading.Jdk#all")
    void aMachineThatWorksIsDescribed(Jdk jdk) throws Exception {
        Vm.Result result = diagnose(Vm.on(jdk)).succeeds().says(version(), "linux-", "libc", "library:", "jar:file:",
                "opened by the native library", "epoll, poll (best first)", "open files:",
                "our own, put in by JNI", "a selector opens, selects and wakes up", "pollux-tools.jar");
        assertTrue(result.out().contains(System.getProperty("os.version")));
        assertEquals(2, result.out().split("a selector opens, selects and wakes up", -1).length - 1);
    }

    @Test
    void theFolderThatWasNamedIsTold() throws Exception {
        diagnose(Vm.on(Jdk.running()).with("-Ddev.pollux.library.path=" + PolluxJar.libraryIn(folder))).succeeds()
                .says(folder.resolve("libpollux-jni.so").toString());
    }

    @Test
    void theFlagThatGaveAccessIsTold() throws Exception {
        diagnose(Vm.on(Jdk.running()).with("--add-opens", "java.base/sun.nio.ch=ALL-UNNAMED")).succeeds()
                .says("opened before Pollux started");
    }

    @Test
    void aMachineThatDoesNotWorkFailsWithTheReason() throws Exception {
        diagnose(Vm.on(Jdk.running()).with("-Dos.arch=foo")).fails()
                .says("not loaded", "not gained", "no native library for linux-foo");
    }

    @Test
    void aLibraryThatCannotBeExtractedFailsWithTheReason() throws Exception {
        diagnose(Vm.on(Jdk.running()).with("-Ddev.pollux.tmpdir=/nowhere")).fails()
                .says("not loaded", "/nowhere", "dev.pollux.tmpdir=DIR");
    }

    @Test
    void itSaysWhatIoUringCanDo() throws Exception {
        diagnose(Vm.on(Jdk.running()).through("sh", "-c", "ulimit -l 8 && exec \"$@\"", "sh")).succeeds()
                .says("locked memory:   8192 bytes (hard limit 8192)");
        String line = diagnose(Vm.on(Jdk.running())).succeeds().out().lines()
                .filter(each -> each.startsWith("io_uring:")).findFirst().orElseThrow();
        String kernel = System.getProperty("os.version");
        assertTrue(line.contains(", kernel " + kernel + "; a StreamServer runs on "), line);
        assertTrue(line.contains(" permitted, ") ? line.contains(" runs on io_uring: ")
                : line.contains(" not used, ") && line.contains("; no io_uring: "), line);
    }

    @ParameterizedTest
    @ValueSource(strings = {"--help", "-h", "help"})
    void helpSaysWhereTheToolsAre(String option) throws Exception {
        run(option).succeeds().warnsOfNothing().says("usage: java -jar pollux.jar [", "pollux-tools.jar");
    }

    @Test
    void theVersionIsOneLine() throws Exception {
        assertEquals("Pollux " + version() + "\n", run("--version").succeeds().warnsOfNothing().out());
    }

    @ParameterizedTest
    @ValueSource(strings = {"bottom", "--quick", "check", "top"})
    void aWrongCommandLineIsTold(String wrong) throws Exception {
        assertEquals(2, run(wrong).warns("unknown argument " + wrong).warns("pollux-tools.jar").exit());
    }

    private static Vm.Result run(String... arguments) throws Exception {
        List<String> all = new ArrayList<>(List.of("-jar", PolluxJar.path().toString()));
        all.addAll(List.of(arguments));
        return Vm.on(Jdk.running()).run(all.toArray(String[]::new));
    }

    private static String version() throws Exception {
        return PolluxJar.manifest().getMainAttributes().getValue(Attributes.Name.IMPLEMENTATION_VERSION);
    }

    private static Vm.Result diagnose(Vm vm) throws Exception {
        return vm.run("-jar", PolluxJar.path().toString());
    }
}
