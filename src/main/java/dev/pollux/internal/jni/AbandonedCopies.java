// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.jni;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Deletes the {@linkplain LibraryCopy copies} that dead VMs left behind.
 *
 * <p>A copy is needed for some milliseconds, so an old one is taken for abandoned. A lock would take each start longer
 * than all that is done here. Only folders that no other user can have filled are touched, and in them only the file
 * that a copy consists of. Nothing is opened, so nothing here ever fails or blocks a start.
 */
final class AbandonedCopies {

    /** Folders that one start looks at: a base with thousands of them is swept by several. */
    static final int MAX_FOLDERS = 256;

    private static final long AGE_MILLIS = TimeUnit.MINUTES.toMillis(10);

    /** Of {@code st_mode} (inode(7)): the file's type and permissions; and a folder that only its owner may enter. */
    private static final int TYPE_AND_PERMISSIONS = 0170777;
    private static final int PRIVATE_FOLDER = 0040700;

    private AbandonedCopies() {
    }

    /** Deletes abandoned copies below this folder; the caller's own copy tells which user the caller is. */
    static void sweep(Path base, Path own) {
        // No stream of paths, and no glob: both would load classes for this alone.
        String[] names = new File(base.toString()).list();
        int left = names == null ? 0 : MAX_FOLDERS;
        for (int i = 0; left > 0 && i < names.length; i++) {
            if (names[i].startsWith(LibraryCopy.PREFIX) && !names[i].equals(own.getFileName().toString())) {
                sweepFolder(base, names[i], own);
                left--;
            }
        }
    }

    private static void sweepFolder(Path base, String name, Path own) {
        try {
            Path folder = base.resolve(name); // which fails if the name is none in this system's encoding
            Path library = folder.resolve(LibraryResource.fileName());
            if (isOld(folder) && isPrivate(folder, own) && isRegularOrAbsent(library)) {
                Files.deleteIfExists(library);
                Files.deleteIfExists(folder);
            }
        } catch (IOException | RuntimeException inUse) {
            return; // or gone, or changed by another process: the others are looked at all the same
        }
    }

    private static boolean isOld(Path folder) throws IOException {
        long written = Files.getLastModifiedTime(folder, LinkOption.NOFOLLOW_LINKS).toMillis();
        return System.currentTimeMillis() - written > AGE_MILLIS;
    }

    /** On Unix it compares numbers: to look up the owner's name may ask a server. */
    private static boolean isPrivate(Path folder, Path own) throws IOException {
        if (own.getFileSystem().supportedFileAttributeViews().contains("unix")) {
            Map<String, Object> found = Files.readAttributes(folder, "unix:mode,uid", LinkOption.NOFOLLOW_LINKS);
            return ((Integer) found.get("mode") & TYPE_AND_PERMISSIONS) == PRIVATE_FOLDER
                    && found.get("uid").equals(Files.getAttribute(own, "unix:uid"));
        }
        return Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)
                && Files.getOwner(folder, LinkOption.NOFOLLOW_LINKS).equals(Files.getOwner(own));
    }

    /** What is neither was not left by a VM. */
    private static boolean isRegularOrAbsent(Path file) {
        return Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS) || Files.notExists(file, LinkOption.NOFOLLOW_LINKS);
    }
}
