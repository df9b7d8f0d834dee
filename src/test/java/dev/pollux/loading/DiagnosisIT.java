// SPDX-License-Identifier: Apache-2.0
package dev.pollux.loading;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.jar.Attributes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What {@code java -jar pollux.jar} prints, and its exit code. */
class DiagnosisIT {

    @TempDir
    Path folder;

    @ParameterizedTest
    @MethodSource("dev.pollux.loading.Jdk#all")
    void aMachineThatWorksIsDescribed(Jdk jdk) throws Exception {
        String version = PolluxJar.manifest().getMainAttributes().getValue(Attributes.Name.IMPLEMENTATION_VERSION);
        Vm.Result result = diagnose(Vm.on(jdk)).succeeds().says(version, "linux-", "libc", "library:", "jar:file:",
                "opened by the native library", "epoll, poll (best first)", "open files:",
                "our own, put in by JNI", "a selector opens, selects and wakes up");
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
    void helpNamesEachCommand() throws Exception {
        Vm.Result help = Vm.on(Jdk.running()).run("-jar", PolluxJar.path().toString(), "--help").succeeds();
        Vm.Result unknown = Vm.on(Jdk.running()).run("-jar", PolluxJar.path().toString(), "unknown");
        String commands = unknown.err().replaceAll("(?s).*there are (.*)\\. Without.*", "$1");
        for (String command : commands.split(", ")) {
            help.says("\n  " + command + "  ");
        }
    }

    private static Vm.Result diagnose(Vm vm) throws Exception {
        return vm.run("-jar", PolluxJar.path().toString());
    }
}
