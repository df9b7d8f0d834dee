// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.jni;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.Set;

/**
 * The library from the jar as a file, for the moment in which it is loaded.
 *
 * <p>The file lies in a folder of its own, which was made for it and which only this user may enter, and its
 * content is compared after writing. {@link #close} deletes both; a system that does not let go of a loaded file
 * leaves them to the next VM's {@link AbandonedCopies#sweep sweep}. A lock held next to the file tells a sweeping VM
 * that the copy is in use.
 *
 * <p>Used by one thread.
 */
final class LibraryCopy implements AutoCloseable {

    /** What the folder's name begins with. */
    static final String PREFIX = "pollux-native-";

    /** The file in the folder that is locked as long as the copy is in use. */
    static final String LOCK_NAME = "lock";

    /** How many names may be taken already, each of them a nanosecond's. */
    private static final int NAMES = 1000;

    /** How often another VM's sweep may win the race for a folder that is not locked yet. */
    private static final int ATTEMPTS = 5;

    /**
     * Copies that stay until this VM ends, a linked list: a lock is given up when its channel is found to be garbage.
     * Used by one thread at a time.
     */
    private static LibraryCopy undeletable;

    /** Another one that is undeletable. Nobody reads it: it is for the garbage collector to follow. */
    @SuppressWarnings("UnusedVariable")
    private LibraryCopy next;

    private final Path folder;
    private final Path file;
    private final FileChannel lockFile;

    private LibraryCopy(Path base) throws IOException {
        folder = makeFolder(base).toAbsolutePath();
        file = folder.resolve(LibraryResource.fileName());
        try {
            lockFile = FileChannel.open(folder.resolve(LOCK_NAME),
                    StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        } catch (IOException e) {
            Files.deleteIfExists(folder);
            throw e;
        }
    }

    /**
     * The name is no secret, and need not be one. mkdir(2) makes the folder this user's alone in one step, and fails if
     * there is anything of that name, a link too; then another name is tried. So nothing is used that somebody has put
     * there, nor can he keep a name from us that he guesses. {@code Files.createTempDirectory} makes secret names by
     * {@code SecureRandom}, which loads some 60 classes.
     */
    private static Path makeFolder(Path base) throws IOException {
        FileAttribute<?>[] permissions = onlyForOwner(base);
        for (int attempt = 1;; attempt++) {
            try {
                return Files.createDirectory(base.resolve(PREFIX + Long.toHexString(System.nanoTime())), permissions);
            } catch (FileAlreadyExistsException taken) {
                if (attempt == NAMES) {
                    throw taken;
                }
            }
        }
    }

    /**
     * Writes a copy.
     *
     * @param content the library
     * @return the copy, to be closed as soon as it is loaded
     * @throws IOException if the folder for temporary files does not take it; the message names the folder
     */
    static LibraryCopy write(byte[] content) throws IOException {
        String property = System.getProperty(NativeLibrary.TMPDIR_PROPERTY);
        String base = property != null ? property : System.getProperty(NativeLibrary.TMPDIR_DEFAULT);
        try {
            return write(Path.of(base), content);
        } catch (IOException e) {
            throw LoadAdvice.temporaryFolder(base, content.length, e);
        }
    }

    private static LibraryCopy write(Path base, byte[] content) throws IOException {
        for (int attempt = 1;; attempt++) {
            try {
                LibraryCopy copy = new LibraryCopy(base);
                copy.fill(content);
                AbandonedCopies.sweep(base, copy.folder);
                return copy;
            } catch (NoSuchFileException sweptByAnotherVm) {
                if (attempt == ATTEMPTS || !Files.isDirectory(base)) {
                    throw sweptByAnotherVm;
                }
            }
        }
    }

    private void fill(byte[] content) throws IOException {
        try {
            lock();
            // Streams, not channels: an interrupted thread may open a selector too.
            try (OutputStream out = Files.newOutputStream(file,
                    StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
                out.write(content);
            }
            if (!Arrays.equals(content, Files.readAllBytes(file))) {
                throw new IOException("the file did not keep what was written to it: " + file);
            }
        } catch (IOException e) {
            close();
            throw e;
        }
    }

    private void lock() throws NoSuchFileException {
        FileLock lock;
        try {
            lock = lockFile.tryLock();
        } catch (IOException | OverlappingFileLockException noLocksHere) {
            return; // a file system without locks: nobody can sweep there either
        }
        if (lock == null) {
            throw new NoSuchFileException(folder.toString(), null, "is being swept by another VM");
        }
    }

    private static FileAttribute<?>[] onlyForOwner(Path base) {
        return base.getFileSystem().supportedFileAttributeViews().contains("posix")
                ? new FileAttribute<?>[] {
                    PosixFilePermissions.asFileAttribute(Set.of(PosixFilePermission.OWNER_READ,
                            PosixFilePermission.OWNER_WRITE, PosixFilePermission.OWNER_EXECUTE))}
                : new FileAttribute<?>[0]; // elsewhere a user's folder for temporary files is private
    }

    /** {@return the file to load} */
    Path file() {
        return file;
    }

    /** Deletes the copy; a file that can't be deleted while it is loaded stays, locked until this VM ends. */
    @Override
    public void close() {
        try {
            Files.deleteIfExists(file);
            Files.deleteIfExists(folder.resolve(LOCK_NAME));
            lockFile.close();
            Files.deleteIfExists(folder);
        } catch (IOException stillInUse) {
            next = undeletable;
            undeletable = this;
        }
    }
}
