// SPDX-License-Identifier: Apache-2.0
package dev.pollux.loading;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.loading.program.Probe;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
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
        Files.delete(copy.resolve("libpollux-jni.so"));
        start();
        assertFalse(Files.exists(copy));
    }

    @Test
    void aCopyThatARunningVmLocksStays() throws Exception {
        Path copy = copy("pollux-native-1", "rwx------");
        try (FileChannel channel = FileChannel.open(copy.resolve("lock"), StandardOpenOption.WRITE);
                FileLock lock = channel.lock()) {
            start();
            assertTrue(lock.isValid() && Files.exists(copy.resolve("libpollux-jni.so")));
        }
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
        for (String name : List.of("lock", "libpollux-jni.so")) {
            odd.add(odd(name, "fifo", AbandonedCopiesIT::makeFifo));
            odd.add(odd(name, "folder", Files::createDirectory));
            odd.add(odd(name, "dangling", path -> Files.createSymbolicLink(path, folder.resolve("nowhere"))));
            odd.add(odd(name, "link", path -> Files.createSymbolicLink(path, Files.createFile(folder.resolve(name)))));
            odd.add(odd(name, "socket", path -> ServerSocketChannel.open(StandardProtocolFamily.UNIX)
                    .bind(UnixDomainSocketAddress.of(path)).close()));
            if (run("mknod", folder.resolve("null-" + name).toString(), "c", "1", "3") == 0) { // who may do that
                odd.add(odd(name, "device", path -> Files.move(folder.resolve("null-" + name), path)));
            }
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

    /** Opening must not block either if what is opened is not what was looked at. */
    @Test
    void aLockThatBecomesAFifoMeanwhileBlocksNobody() throws Exception {
        List<Path> locks = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            locks.add(copy("pollux-native-" + i, "rwx------").resolve("lock"));
            Files.createFile(locks.get(i).resolveSibling("foreign")); // the folder stays
        }
        Path file = Files.createFile(folder.resolve("file"));
        Path fifo = folder.resolve("fifo");
        makeFifo(fifo);
        AtomicBoolean isOver = new AtomicBoolean();
        Thread swapping = new Thread(() -> {
            while (!isOver.get()) {
                for (Path lock : locks) {
                    replace(lock, fifo);
                    replace(lock, file);
                }
            }
        });
        swapping.start();
        try {
            for (int i = 0; i < 2; i++) {
                start();
            }
        } finally {
            isOver.set(true);
            swapping.join();
        }
    }

    /** Puts another link to a file where the lock is or was. */
    private static void replace(Path lock, Path by) {
        Path next = lock.resolveSibling("next");
        try {
            Files.deleteIfExists(next);
            Files.createLink(next, by);
            Files.move(next, lock, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
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
    private Path odd(String name, String kind, Maker maker) throws Exception {
        Path path = copy("pollux-native-" + kind + '-' + name, "rwx------").resolve(name);
        Files.delete(path);
        maker.make(path);
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
        Files.createFile(copy.resolve("lock"));
        Files.createFile(copy.resolve("libpollux-jni.so"));
        return Files.setPosixFilePermissions(copy, PosixFilePermissions.fromString(permissions));
    }

    private void start() throws Exception {
        Vm.on(Jdk.running()).classPath(PolluxJar.path(), PolluxJar.programs()).provider("EPollSelectorProvider")
                .with("-Ddev.pollux.tmpdir=" + folder).run(Probe.class).succeeds().says("selected 1");
    }
}
