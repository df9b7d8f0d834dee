// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.jni;

import java.io.File;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotLinkException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Set;

/**
 * The library in a file without a name, so that no other user can replace it: for a folder where others may rename what
 * is not theirs. It is loaded by its descriptor, which Linux alone names, as {@code /proc/self/fd/N} (proc(5)).
 *
 * <p>A class loader asks for the canonical name first. That is the descriptor's only if the name that it is a link to
 * does not exist: the file's old name, with what the kernel adds. Others could put their library there, since they may
 * replace an empty folder. So the old name is as long as names can be, and no file can have the longer one. Used by one
 * thread.
 */
final class UnnamedFile implements AutoCloseable {
    private static final String DESCRIPTORS = "/proc/self/fd";

    /** What the kernel adds to the name of a file that has none. */
    private static final String DELETED = " (deleted)";

    /** As long as NAME_MAX (limits.h), in bytes. */
    private static final String NAME = "libpollux-jni" + "-".repeat(239) + ".so";

    /** Class loaders that may have loaded a library by a descriptor of the same number. */
    private static final int MAX_LOADERS = 100;

    /** What a descriptor of ours is a link to. */
    private final String target;

    /** All of the same file. */
    private final Deque<SeekableByteChannel> opened = new ArrayDeque<>();

    /** Writes a file to a new folder of ours, and takes its name away. */
    UnnamedFile(Path folder, byte[] content) throws IOException {
        Path file = folder.resolve(NAME);
        target = file + DELETED;
        if (!isPossible() || canHave(Path.of(target))) {
            throw LoadAdvice.openToAll(folder.getParent());
        }
        opened.push(Files.newByteChannel(file, Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"))));
        try {
            Files.delete(file);
            for (ByteBuffer left = ByteBuffer.wrap(content); left.hasRemaining();) {
                opened.peek().write(left);
            }
        } catch (IOException e) {
            close();
            throw e;
        }
    }

    /** {@return whether this system has names for descriptors} */
    static boolean isPossible() {
        return new File(DESCRIPTORS).isDirectory();
    }

    /** Some file systems in user space take names of up to 1024 bytes, and ZFS does if it is told to. */
    private static boolean canHave(Path name) throws IOException {
        try {
            Files.createFile(name);
        } catch (FileSystemException tooLong) {
            return false;
        }
        Files.deleteIfExists(name);
        return true;
    }

    /** Those that lead to the file; no other code in this process can have opened it. */
    private List<Path> descriptors() throws IOException {
        String[] names = new File(DESCRIPTORS).list();
        List<Path> found = new ArrayList<>();
        for (String name : names == null ? new String[0] : names) {
            Path descriptor = Path.of(DESCRIPTORS, name);
            if (leadsToFile(descriptor)) {
                found.add(descriptor);
            }
        }
        return found;
    }

    private boolean leadsToFile(Path descriptor) throws IOException {
        try {
            return Files.readSymbolicLink(descriptor).toString().equals(target);
        } catch (NoSuchFileException | NotLinkException closed) {
            return false; // by another thread
        }
    }

    /** A name can be taken by another class loader of this VM. Another descriptor of the file is another name. */
    void load() throws IOException {
        for (int attempt = 1;; attempt++) {
            List<Path> descriptors = descriptors();
            for (Path descriptor : descriptors) {
                try {
                    System.load(descriptor.toString());
                    return;
                } catch (UnsatisfiedLinkError e) {
                    if (attempt == MAX_LOADERS || !NativeLibrary.isTaken(e)) {
                        throw e;
                    }
                }
            }
            if (descriptors.isEmpty()) {
                throw new IOException("another user has renamed it meanwhile: " + target);
            }
            opened.push(Files.newByteChannel(descriptors.get(0)));
        }
    }

    @Override
    public void close() throws IOException {
        while (!opened.isEmpty()) {
            opened.pop().close();
        }
    }
}
