// SPDX-License-Identifier: Apache-2.0
package dev.pollux.loading;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import dev.pollux.loading.program.Probe;
import dev.pollux.loading.program.TwoLoaders;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
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
    private static final int TRIES = 10;

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

    /** The kernel shows a file that has lost its name by that name, and a class loader looks whether there is one. */
    @ParameterizedTest
    @MethodSource("dev.pollux.loading.Jdk#all")
    void norIsOneByTheNameOfADeletedFile(Jdk jdk) throws Exception {
        attack(jdk, folder, this::replaceEmpty);
    }

    @Test
    void norIsOneWhereAGroupMayWrite() throws Exception {
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxrwxr-x"));
        attack(folder);
    }

    private interface Attack {
        void on(Path tmpdir, Path foreign);
    }

    private void attack(Path tmpdir) throws Exception {
        attack(Jdk.running(), tmpdir, this::swap);
    }

    private void attack(Jdk jdk, Path tmpdir, Attack attack) throws Exception {
        Path foreign = Jdk.running().home().resolve("lib/libverify.so");
        AtomicBoolean isOver = new AtomicBoolean();
        Thread attacker = new Thread(() -> {
            while (!isOver.get()) {
                attack.on(tmpdir, foreign);
            }
        });
        attacker.start();
        try {
            for (int i = 0; i < TRIES; i++) {
                Vm.Result result = pollux(jdk, tmpdir).run(Probe.class); // may fail: what is ours was renamed
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

    /** Puts a folder in the place of that of a copy which has no name any more. */
    private void replaceEmpty(Path tmpdir, Path foreign) {
        Path ready = folder.resolve("ready");
        try {
            if (!Files.exists(ready)) {
                Files.createDirectory(ready);
                Files.copy(foreign, ready.resolve("libpollux-jni.so (deleted)"));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        String[] names = new File(tmpdir.toString()).list();
        for (String name : names == null ? new String[0] : names) {
            if (name.startsWith("pollux-native-")) {
                ready.toFile().renameTo(tmpdir.resolve(name).toFile()); // fails if it is not empty, or not there
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
