// SPDX-License-Identifier: Apache-2.0
package dev.pollux.loading;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.loading.program.Probe;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Copies of the library that VMs left behind when they died are deleted by the next start, and nothing else is. */
class AbandonedCopiesIT {

    @TempDir
    Path folder;

    @Test
    void aCopyThatNobodyLocksIsDeleted() throws Exception {
        Path copy = copy("pollux-native-1", "rwx------");
        start();
        assertFalse(Files.exists(copy));
    }

    @Test
    void anEmptyFolderIsDeleted() throws Exception {
        Path copy = copy("pollux-native-1", "rwx------");
        Files.delete(copy.resolve("lock"));
        Files.delete(copy.resolve("libpollux.so"));
        start();
        assertFalse(Files.exists(copy));
    }

    @Test
    void aCopyThatARunningVmLocksStays() throws Exception {
        Path copy = copy("pollux-native-1", "rwx------");
        try (FileChannel channel = FileChannel.open(copy.resolve("lock"), StandardOpenOption.WRITE);
                FileLock lock = channel.lock()) {
            start();
            assertTrue(lock.isValid() && Files.exists(copy.resolve("libpollux.so")));
        }
    }

    @Test
    void aFolderThatOthersMayEnterStays() throws Exception {
        Path copy = copy("pollux-native-1", "rwxr-xr-x");
        start();
        assertTrue(Files.exists(copy.resolve("libpollux.so")));
    }

    @Test
    void aForeignFileInTheFolderStays() throws Exception {
        Path copy = copy("pollux-native-1", "rwx------");
        Path foreign = Files.createFile(copy.resolve("foreign"));
        start();
        assertTrue(Files.exists(foreign));
    }

    @Test
    void aFolderOfAnotherNameStays() throws Exception {
        Path copy = copy("pollux-logs", "rwx------");
        start();
        assertTrue(Files.exists(copy.resolve("libpollux.so")));
    }

    @Test
    void aLinkToAFolderStays() throws Exception {
        Path target = copy("elsewhere", "rwx------");
        Files.createSymbolicLink(folder.resolve("pollux-native-1"), target);
        start();
        assertTrue(Files.exists(target.resolve("libpollux.so")));
    }

    private Path copy(String name, String permissions) throws IOException {
        Path copy = Files.createDirectory(folder.resolve(name));
        Files.createFile(copy.resolve("lock"));
        Files.createFile(copy.resolve("libpollux.so"));
        return Files.setPosixFilePermissions(copy, PosixFilePermissions.fromString(permissions));
    }

    private void start() throws Exception {
        Vm.on(Jdk.running()).classPath(PolluxJar.path(), PolluxJar.programs()).provider("EPollSelectorProvider")
                .with("-Ddev.pollux.tmpdir=" + folder).run(Probe.class).succeeds().says("selected 1");
    }
}
