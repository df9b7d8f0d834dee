// SPDX-License-Identifier: Apache-2.0
package dev.pollux.loading;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import dev.pollux.internal.jni.Platform;
import dev.pollux.loading.program.Probe;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Where the native library is taken from, where it goes meanwhile, and what is said if that fails. */
class LibraryIT {

    private static final String PATH = "-Ddev.pollux.library.path=";
    private static final String TMPDIR = "-Ddev.pollux.tmpdir=";

    @TempDir
    Path folder;

    @ParameterizedTest
    @MethodSource("dev.pollux.loading.Jdk#all")
    void nothingIsLeftInTheTemporaryFolder(Jdk jdk) throws Exception {
        pollux(jdk).with("-Djava.io.tmpdir=" + folder).run(Probe.class).succeeds().says("selected 1");
        assertEquals(List.of(), content());
    }

    @Test
    void anotherTemporaryFolderCanBeNamed() throws Exception {
        pollux().with("-Djava.io.tmpdir=/nowhere", TMPDIR + folder).run(Probe.class).succeeds().says("selected 1");
        assertEquals(List.of(), content());
    }

    @Test
    void aFolderWithTheLibraryCanBeNamedAndNothingIsExtracted() throws Exception {
        PolluxJar.libraryIn(folder);
        pollux().with(TMPDIR + "/nowhere", PATH + folder).run(Probe.class).succeeds().says("selected 1");
    }

    @Test
    void aFolderWithoutTheLibraryIsNamedInTheError() throws Exception {
        pollux().with(PATH + folder).run(Probe.class).fails()
                .says("there is no file " + folder.resolve("libpollux-jni.so"), "dev.pollux.library.path");
    }

    @Test
    void theLibraryForProgramsInCIsNotTakenForTheOneWanted() throws Exception {
        Files.createFile(folder.resolve("libpollux.so"));
        pollux().with(PATH + folder).run(Probe.class).fails()
                .says("The libpollux.so in that folder is the library for C programs", "holds libpollux-jni.so");
    }

    @Test
    void aFolderWithACorruptLibraryIsNamedInTheError() throws Exception {
        Files.writeString(folder.resolve("libpollux-jni.so"), "no library");
        pollux().with(PATH + folder).run(Probe.class).fails()
                .says("could not load " + folder.resolve("libpollux-jni.so"), "corrupt");
    }

    @Test
    void aLibraryOfSomebodyElseIsNamedInTheError() throws Exception {
        Files.copy(Jdk.running().home().resolve("lib/libverify.so"), folder.resolve("libpollux-jni.so"));
        pollux().with(PATH + folder).run(Probe.class).fails()
                .says(folder.resolve("libpollux-jni.so").toString(), "belongs to another version of Pollux");
    }

    /** It has the same natives: only what the library says of itself tells. */
    @Test
    void aLibraryOfAnotherBuildIsRefusedAtOnce() throws Exception {
        Files.write(folder.resolve("libpollux-jni.so"), otherBuild(PolluxJar.library()));
        pollux().with(PATH + folder).run(Probe.class).fails()
                .says(folder.toString(), "belongs to another version of Pollux", "of build ");
    }

    @Test
    void aLibraryOfAnotherBuildInTheJarIsRefusedAtOnce() throws Exception {
        Vm.on(Jdk.running()).classPath(PolluxJar.doctored(folder, LibraryIT::otherBuild), PolluxJar.programs())
                .provider("EPollSelectorProvider").run(Probe.class).fails()
                .says("belongs to another version of Pollux", "of build ");
    }

    /** As one of an earlier version would, which did not say its build. */
    @Test
    void aLibraryThatLacksANativeIsRefusedAtOnce() throws Exception {
        Files.write(folder.resolve("libpollux-jni.so"), replaced(PolluxJar.library(), "jni_Natives_build", 'x'));
        pollux().with(PATH + folder).run(Probe.class).fails().says("belongs to another version of Pollux");
    }

    private static byte[] otherBuild(byte[] library) {
        return replaced(library, PolluxJar.build(), '-');
    }

    /** The library, with another last character in each place where it says this. */
    private static byte[] replaced(byte[] library, String part, char last) {
        String text = new String(library, StandardCharsets.ISO_8859_1);
        assertTrue(text.contains(part), part);
        return text.replace(part, part.substring(0, part.length() - 1) + last).getBytes(StandardCharsets.ISO_8859_1);
    }

    @Test
    void aTemporaryFolderThatDoesNotExistIsNamedInTheError() throws Exception {
        pollux().with(TMPDIR + "/nowhere").run(Probe.class).fails().says("/nowhere", "dev.pollux.tmpdir=DIR");
    }

    @Test
    void aTemporaryFolderThatIsNoPathIsNamedInTheError() throws Exception {
        Path file = Files.createFile(folder.resolve("file"));
        pollux().with(TMPDIR + file).run(Probe.class).fails().says(file.toString(), "dev.pollux.tmpdir=DIR");
    }

    @Test
    void aReadOnlyTemporaryFolderIsNamedInTheError() throws Exception {
        try (Mount mount = Mount.with(folder, "ro")) {
            pollux().with(TMPDIR + mount.folder()).run(Probe.class).fails()
                    .says(folder.toString(), "Read-only file system", "dev.pollux.tmpdir=DIR");
        }
    }

    @Test
    void aTemporaryFolderThatBelongsToOthersIsNamedInTheError() throws Exception {
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("r-xr-xr-x"));
        assumeFalse(Files.isWritable(folder), "root may write everywhere");
        pollux().with(TMPDIR + folder).run(Probe.class).fails()
                .says(folder.toString(), "AccessDenied", "dev.pollux.tmpdir=DIR");
    }

    @Test
    void aFullTemporaryFolderIsNamedInTheError() throws Exception {
        try (Mount mount = Mount.with(folder, "size=8k")) {
            pollux().with(TMPDIR + mount.folder()).run(Probe.class).fails()
                    .says(folder.toString(), "No space left on device", "dev.pollux.tmpdir=DIR");
            assertEquals(List.of(), content());
        }
    }

    @Test
    void aTemporaryFolderThatForbidsExecutionIsExplained() throws Exception {
        try (Mount mount = Mount.with(folder, "noexec")) {
            pollux().with(TMPDIR + mount.folder()).run(Probe.class).fails()
                    .says("noexec", "dev.pollux.tmpdir=DIR", "dev.pollux.library.path=DIR");
            assertEquals(List.of(), content());
        }
    }

    @Test
    void anUnknownPlatformIsToldWhatTheJarHas() throws Exception {
        pollux().with("-Dos.arch=foo").run(Probe.class).fails()
                .says("no native library for linux-foo", "[linux-foo, linux-foo-musl]", "this jar has [",
                        Platform.current().folder());
    }

    @Test
    void theFirstDiagnosisIsRepeatedInFull() throws Exception {
        List<String> lines = pollux().with("-Dos.arch=foo").run(Probe.class).fails().out().lines().toList();
        assertEquals(2, lines.size());
        assertEquals(lines.get(0), lines.get(1));
    }

    @ParameterizedTest
    @MethodSource("dev.pollux.loading.Jdk#allThatDenyNativeAccess")
    void nativeCodeThatIsForbiddenIsExplained(Jdk jdk) throws Exception {
        pollux(jdk.from(24)).with("--illegal-native-access=deny").run(Probe.class).fails()
                .says("forbids native code", "--enable-native-access=ALL-UNNAMED");
    }

    @ParameterizedTest
    @MethodSource("dev.pollux.loading.Jdk#allThatDenyNativeAccess")
    void nativeCodeThatIsAllowedWarnsOfNothing(Jdk jdk) throws Exception {
        pollux(jdk.from(24)).with("--illegal-native-access=deny", "--enable-native-access=ALL-UNNAMED").run(Probe.class)
                .succeeds().says("selected 1").warnsOfNothing();
    }

    private static Vm pollux() {
        return pollux(Jdk.running());
    }

    private static Vm pollux(Jdk jdk) {
        return Vm.on(jdk).classPath(PolluxJar.path(), PolluxJar.programs()).provider("EPollSelectorProvider");
    }

    private List<Path> content() throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(file -> !file.getFileName().toString().startsWith("hsperfdata")).toList();
        }
    }
}
