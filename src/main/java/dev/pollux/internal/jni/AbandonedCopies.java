// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.jni;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;

/**
 * Deletes the {@linkplain LibraryCopy copies} that dead VMs left behind.
 *
 * <p>A copy is taken for abandoned if its lock is free. Only folders that nobody but this user can have filled are
 * touched, and in them only the two files that a copy consists of. Nothing here ever fails a start.
 */
final class AbandonedCopies {

    /** The permissions of a copy's folder. */
    static final String PRIVATE = "rwx------";

    private AbandonedCopies() {
    }

    /**
     * Deletes what is abandoned.
     *
     * @param base the folder that holds the copies' folders
     * @param own  the caller's own copy, which tells who the caller is
     */
    static void sweep(Path base, Path own) {
        try (DirectoryStream<Path> folders = Files.newDirectoryStream(base, LibraryCopy.PREFIX + '*')) {
            for (Path folder : folders) {
                if (!folder.getFileName().equals(own.getFileName()) && isPrivate(folder, own)) {
                    sweep(folder);
                }
            }
        } catch (IOException | RuntimeException notThisTime) {
            return; // what is left is left to a later start
        }
    }

    private static void sweep(Path folder) {
        Path lockFile = folder.resolve(LibraryCopy.LOCK_NAME);
        try {
            try (FileChannel channel = FileChannel.open(lockFile,
                        StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);
                    FileLock lock = channel.tryLock()) {
                if (lock == null) {
                    return;
                }
                Files.deleteIfExists(folder.resolve(LibraryResource.FILE_NAME));
                Files.deleteIfExists(lockFile);
            } catch (NoSuchFileException diedBeforeItLocked) {
                // The folder is empty then. A VM that is only just creating its copy takes another folder.
            }
            Files.deleteIfExists(folder);
        } catch (IOException | OverlappingFileLockException inUse) {
            return;
        }
    }

    private static boolean isPrivate(Path folder, Path own) throws IOException {
        if (!Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)
                || !Files.getOwner(folder, LinkOption.NOFOLLOW_LINKS).equals(Files.getOwner(own))) {
            return false;
        }
        return !own.getFileSystem().supportedFileAttributeViews().contains("posix")
                || PosixFilePermissions.toString(Files.getPosixFilePermissions(folder, LinkOption.NOFOLLOW_LINKS))
                        .equals(PRIVATE);
    }
}
