// SPDX-License-Identifier: Apache-2.0
package dev.pollux.loading;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.loading.program.Probe;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Copies of the library that VMs left behind when they died are deleted by the next start, and nothing else is. */
class AbandonedCopiesIT {

    @TempDir
    Path folder;

    @Test
    void anOldCopyIsDeleted() throws Exception {
        Path copy = copy("pollux-native-1", "rwx------");
        start();
        assertFalse(Files.exists(copy));
    }

    @Test
    void anEmptyFolderIsDeleted() throws Exception {
        Path copy = copy("pollux-native-1", "rwx------");
        Files.delete(copy.resolve("libpollux-jni.so"));
        age(copy);
        start();
        assertFalse(Files.exists(copy));
    }

    /** Another VM may be about to load it. */
    @Test
    void aNewCopyStays() throws Exception {
        Path copy = copy("pollux-native-1", "rwx------");
        Files.setLastModifiedTime(copy, FileTime.from(Instant.now()));
        start();
        assertTrue(Files.exists(copy.resolve("libpollux-jni.so")));
    }

    @Test
    void aFolderThatOthersMayEnterStays() throws Exception {
        Path copy = copy("pollux-native-1", "rwxr-xr-x");
        start();
        assertTrue(Files.exists(copy.resolve("libpollux-jni.so")));
    }

    @Test
    void aForeignFileInTheFolderStays() throws Exception {
        Path copy = copy("pollux-native-1", "rwx------");
        Path foreign = Files.createFile(copy.resolve("foreign"));
        age(copy);
        start();
        assertTrue(Files.exists(foreign));
    }

    @Test
    void aFolderOfAnotherNameStays() throws Exception {
        Path copy = copy("pollux-logs", "rwx------");
        start();
        assertTrue(Files.exists(copy.resolve("libpollux-jni.so")));
    }

    @Test
    void aLinkToAFolderStays() throws Exception {
        Path target = copy("elsewhere", "rwx------");
        Files.createSymbolicLink(folder.resolve("pollux-native-1"), target);
        start();
        assertTrue(Files.exists(target.resolve("libpollux-jni.so")));
    }

    @Test
    void whatIsNoFileIsNeitherOpenedNorDeleted() throws Exception {
        List<Path> odd = new ArrayList<>();
        String name = "libpollux-jni.so";
        odd.add(odd("fifo", AbandonedCopiesIT::makeFifo));
        odd.add(odd("folder", Files::createDirectory));
        odd.add(odd("dangling", path -> Files.createSymbolicLink(path, folder.resolve("nowhere"))));
        odd.add(odd("link", path -> Files.createSymbolicLink(path, Files.createFile(folder.resolve(name)))));
        odd.add(odd("socket", path -> ServerSocketChannel.open(StandardProtocolFamily.UNIX)
                .bind(UnixDomainSocketAddress.of(path)).close()));
        if (run("mknod", folder.resolve("null").toString(), "c", "1", "3") == 0) { // who may do that
            odd.add(odd("device", path -> Files.move(folder.resolve("null"), path)));
        }
        Path copy = copy("pollux-native-1", "rwx------");
        start();
        assertFalse(Files.exists(copy));
        for (Path path : odd) {
            assertTrue(Files.exists(path, LinkOption.NOFOLLOW_LINKS), path::toString);
        }
    }

    @Test
    void aFolderThatNobodyMayReadStays() throws Exception {
        Path copy = copy("pollux-native-1", "---------");
        start();
        assertTrue(Files.exists(copy));
    }

    @Test
    void hundredsOfCopiesAreDeletedByAndBy() throws Exception {
        for (int i = 0; i < 600; i++) {
            copy("pollux-native-" + i, "rwx------");
        }
        long before = copies();
        start();
        long after = copies();
        assertTrue(after < before && after > 0, before + " copies, then " + after);
        start();
        assertTrue(copies() < after, before + " copies, then " + after + ", then " + copies());
    }

    private long copies() throws IOException {
        try (Stream<Path> all = Files.list(folder)) {
            return all.count();
        }
    }

    private interface Maker {
        void make(Path path) throws Exception;
    }

    /** A copy in which one thing is not a file. */
    private Path odd(String kind, Maker maker) throws Exception {
        Path path = copy("pollux-native-" + kind, "rwx------").resolve("libpollux-jni.so");
        Files.delete(path);
        maker.make(path);
        age(path.getParent());
        return path;
    }

    private static void makeFifo(Path path) throws Exception {
        assertEquals(0, run("mkfifo", path.toString()), "mkfifo");
    }

    private static int run(String... command) throws Exception {
        return new ProcessBuilder(command).inheritIO().start().waitFor();
    }

    private Path copy(String name, String permissions) throws IOException {
        Path copy = Files.createDirectory(folder.resolve(name));
        Files.createFile(copy.resolve("libpollux-jni.so"));
        age(copy);
        return Files.setPosixFilePermissions(copy, PosixFilePermissions.fromString(permissions));
    }

    private static void age(Path copy) throws IOException {
        Files.setLastModifiedTime(copy, FileTime.from(Instant.now().minus(Duration.ofHours(1))));
    }

    private void start() throws Exception {
        Vm.on(Jdk.running()).classPath(PolluxJar.path(), PolluxJar.programs()).provider("EPollSelectorProvider")
                .with("-Ddev.pollux.tmpdir=" + folder).run(Probe.class).succeeds().says("selected 1");
    }
}
