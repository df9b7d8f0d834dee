// SPDX-License-Identifier: Apache-2.0
package dev.pollux.loading;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import dev.pollux.loading.program.Probe;
import dev.pollux.loading.program.TwoLoaders;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Below a folder that all may write and that has no sticky bit, nobody can have us load his library. */
class OpenFolderIT {
    private static final int TRIES = 20;

    @TempDir
    Path folder;

    @BeforeEach
    void open() throws IOException {
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxrwxrwx"));
    }

    @ParameterizedTest
    @MethodSource("dev.pollux.loading.Jdk#all")
    void aSelectorOpensAndNothingIsLeft(Jdk jdk) throws Exception {
        pollux(jdk, folder).run(Probe.class).succeeds().says("selected 1");
        assertEquals(List.of(), content());
    }

    /** Each loads a file by a descriptor of its own, though the number of the first one's is free again. */
    @ParameterizedTest
    @MethodSource("dev.pollux.loading.Jdk#all")
    void eachClassLoaderHasItsOwnCopy(Jdk jdk) throws Exception {
        Vm.on(jdk).classPath(PolluxJar.programs()).with("-Ddev.pollux.tmpdir=" + folder)
                .run(TwoLoaders.class, PolluxJar.path().toString())
                .succeeds().says("different true", "selected 1\nselected 1");
        assertEquals(List.of(), content());
    }

    @Test
    void aLibraryThatSomebodyElsePutsThereIsNotLoaded() throws Exception {
        attack(folder);
    }

    /** Who may write the folder above may rename this one. */
    @Test
    void norIsOneInAFolderBelow() throws Exception {
        attack(Files.createDirectory(folder.resolve("below")));
    }

    private void attack(Path tmpdir) throws Exception {
        Path foreign = Jdk.running().home().resolve("lib/libverify.so");
        AtomicBoolean isOver = new AtomicBoolean();
        Thread attacker = new Thread(() -> {
            while (!isOver.get()) {
                swap(tmpdir, foreign);
            }
        });
        attacker.start();
        try {
            for (int i = 0; i < TRIES; i++) {
                Vm.Result result = pollux(Jdk.running(), tmpdir).run(Probe.class); // may fail: what is ours was renamed
                assertFalse(result.out().contains("belongs to another version"), result::toString);
            }
        } finally {
            isOver.set(true);
            attacker.join();
        }
    }

    /** Renames the folder of a copy, and puts one of the same name there that holds another library. */
    private void swap(Path tmpdir, Path foreign) {
        String[] names = new File(tmpdir.toString()).list();
        for (String name : names == null ? new String[0] : names) {
            if (!name.startsWith("pollux-native-")) {
                continue;
            }
            try {
                Path other = Files.createDirectory(folder.resolve("other-" + System.nanoTime()));
                Files.copy(foreign, other.resolve("libpollux-jni.so"));
                Path copy = tmpdir.resolve(name);
                Files.move(copy, folder.resolve("ours-" + System.nanoTime()));
                Files.move(other, copy);
            } catch (IOException e) {
                return; // it was faster; the next turn looks again
            }
        }
    }

    private static Vm pollux(Jdk jdk, Path tmpdir) {
        return Vm.on(jdk).classPath(PolluxJar.path(), PolluxJar.programs()).provider("EPollSelectorProvider")
                .with("-Ddev.pollux.tmpdir=" + tmpdir);
    }

    private List<Path> content() throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.toList();
        }
    }
}
