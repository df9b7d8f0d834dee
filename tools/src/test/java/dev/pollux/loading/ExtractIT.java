// SPDX-License-Identifier: Apache-2.0
package dev.pollux.loading;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import dev.pollux.internal.jni.Platform;
import dev.pollux.loading.program.Probe;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** {@code java -jar pollux-tools.jar extract}: the library it writes is found, and what goes wrong is said. */
class ExtractIT {
    private static final String NAME = "libpollux-jni.so";

    @TempDir
    Path folder;

    @ParameterizedTest
    @MethodSource("dev.pollux.loading.Jdk#all")
    void theLibraryIsFoundByTheOptionThatIsPrinted(Jdk jdk) throws Exception {
        Path library = folder.resolve("a/b");
        String out = extract(jdk, library.toString()).succeeds()
                .says("wrote " + library.resolve(NAME), Platform.current().folder()).out();
        String option = out.substring(out.indexOf("-D")).strip();
        assertEquals("-Ddev.pollux.library.path=" + library, option);
        pollux(jdk).with(option, "-Djava.io.tmpdir=/nowhere").run(Probe.class).succeeds().says("selected 1");
    }

    @Test
    void whateverTheMaskIsOthersMayReadIt() throws Exception {
        Path library = folder.resolve("new");
        Vm.on(Jdk.running()).through("sh", "-c", "umask 077 && exec \"$@\"", "sh")
                .run("-jar", ToolsJar.path(), "extract", library.toString()).succeeds();
        for (Path path : List.of(library, library.resolve(NAME))) {
            assertEquals("rwxr-xr-x", PosixFilePermissions.toString(Files.getPosixFilePermissions(path)));
        }
    }

    @Test
    void anOldOneIsReplacedAndNothingElseIsLeft() throws Exception {
        Files.writeString(folder.resolve(NAME), "that of another version");
        extract(folder.toString()).succeeds();
        assertArrayEquals(PolluxJar.library(), Files.readAllBytes(folder.resolve(NAME)));
        try (Stream<Path> files = Files.list(folder)) {
            assertEquals(List.of(folder.resolve(NAME)), files.toList());
        }
    }

    @Test
    void aPlatformCanBeNamed() throws Exception {
        extract(folder.toString(), "--platform", Platform.current().folder()).succeeds()
                .says("the library for " + Platform.current().folder());
        assertArrayEquals(PolluxJar.library(), Files.readAllBytes(folder.resolve(NAME)));
    }

    @Test
    void aPlatformThatTheJarHasNothingForIsToldWhatThereIs() throws Exception {
        extract(folder.toString(), "--platform", "plan9-mips").fails()
                .warns("no library for plan9-mips. It has those for ").warns(Platform.current().folder());
    }

    @Test
    void aFileInsteadOfTheFolderIsNamed() throws Exception {
        Path file = Files.createFile(folder.resolve("file"));
        extract(file.toString()).fails().warns(file + " is a file");
    }

    @Test
    void aFolderThatIsReadOnlyIsNamed() throws Exception {
        try (Mount mount = Mount.with(folder, "ro")) {
            extract(mount.folder().toString()).fails().warns(folder.toString()).warns("Read-only file system");
        }
    }

    @Test
    void aFolderOfOthersIsNamed() throws Exception {
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("r-xr-xr-x"));
        assumeFalse(Files.isWritable(folder), "root may write everywhere");
        extract(folder.toString()).fails().warns(folder.toString()).warns("AccessDenied");
    }

    @Test
    void itRunsWhereTheTemporaryFolderPermitsNoExecution() throws Exception {
        Path temporary = Files.createDirectory(folder.resolve("tmp"));
        try (Mount mount = Mount.with(temporary, "noexec")) {
            String tmpdir = "-Djava.io.tmpdir=" + mount.folder();
            pollux(Jdk.running()).with(tmpdir).run(Probe.class).fails().says("extract DIR");
            Vm.on(Jdk.running()).with(tmpdir).run("-jar", ToolsJar.path(), "extract", folder.toString())
                    .succeeds();
            pollux(Jdk.running()).with(tmpdir, "-Ddev.pollux.library.path=" + folder).run(Probe.class)
                    .succeeds().says("selected 1");
        }
        assertTrue(Files.exists(folder.resolve(NAME)));
    }

    private static Vm pollux(Jdk jdk) {
        return Vm.on(jdk).classPath(PolluxJar.path(), PolluxJar.programs()).provider("EPollSelectorProvider");
    }

    private static Vm.Result extract(String... arguments) throws IOException, InterruptedException {
        return extract(Jdk.running(), arguments);
    }

    private static Vm.Result extract(Jdk jdk, String... arguments) throws IOException, InterruptedException {
        return ToolsJar.run(Vm.on(jdk), "extract", arguments);
    }
}
