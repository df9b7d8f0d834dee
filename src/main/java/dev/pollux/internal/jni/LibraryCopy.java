// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.jni;

import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import java.util.zip.CRC32;

/**
 * The library from the jar as a file, for the moment in which it is loaded.
 *
 * <p>The file lies in a folder of its own, which was made for it and which only this user may enter. Where other users
 * may rename that folder, it is an {@link UnnamedFile} instead. {@link #close} deletes both; a system that does not let
 * go of a loaded file leaves them to a later VM's {@link AbandonedCopies#sweep sweep}.
 *
 * <p>No channel of {@code java.nio} is used in ordinary folders: the first one of a VM takes some milliseconds, and on
 * JDK 17 two descriptors. Used by one thread.
 */
final class LibraryCopy implements AutoCloseable {

    /** What the folder's name begins with. */
    static final String PREFIX = "pollux-native-";

    /** Attempts to find a free name; each is a nanosecond's. */
    private static final int MAX_ATTEMPTS = 1000;

    /** Of {@code st_mode} (inode(7)): all, or a group, may write; they may rename and delete what is their own only. */
    private static final int ALL_WRITE = 0002, GROUP_WRITES = 0020;
    private static final int STICKY = 01000;

    private final Path folder;
    private final Path file;

    /** Null if no other user can replace the file. */
    private final UnnamedFile unnamed;

    private LibraryCopy(Path base, byte[] content) throws IOException {
        boolean canBeReplaced = canBeReplaced(base);
        folder = makeFolder(base);
        file = folder.resolve(LibraryResource.fileName());
        try {
            unnamed = canBeReplaced ? new UnnamedFile(folder, content) : null;
            if (!canBeReplaced) {
                write(file, content);
                AbandonedCopies.sweep(base, folder);
            }
        } catch (IOException e) {
            deleteBoth();
            throw e;
        }
    }

    /** {@return a copy of the library with this content, to be closed as soon as it is loaded} */
    static LibraryCopy write(byte[] content) throws IOException {
        String property = System.getProperty(NativeLibrary.TMPDIR_PROPERTY);
        String base = property != null ? property : System.getProperty(NativeLibrary.TMPDIR_DEFAULT);
        try {
            return new LibraryCopy(Path.of(base).toRealPath(), content);
        } catch (IOException e) {
            throw LoadAdvice.temporaryFolder(base, content.length, e);
        }
    }

    /** Whether some other user may rename what lies below this folder, and put something else there. */
    private static boolean canBeReplaced(Path base) throws IOException {
        if (!base.getFileSystem().supportedFileAttributeViews().contains("unix")) {
            return false; // Windows, where a user's folder for temporary files is private
        }
        for (Path each = base; each != null; each = each.getParent()) {
            int mode = (Integer) Files.getAttribute(each, "unix:mode");
            if ((mode & STICKY) == 0 && ((mode & ALL_WRITE) != 0
                    || (mode & GROUP_WRITES) != 0 && UnnamedFile.isPossible())) { // else trust it: most have one user
                return true;
            }
        }
        return false;
    }

    /**
     * The name need not be secret: mkdir(2) makes the folder this user's alone in one step, and fails if there is
     * anything of that name, a link too; then another name is tried. {@code Files.createTempDirectory} makes secret
     * names by {@code SecureRandom}, which loads some 60 classes.
     */
    private static Path makeFolder(Path base) throws IOException {
        FileAttribute<?>[] permissions = onlyForOwner(base);
        for (int attempt = 1;; attempt++) {
            try {
                return Files.createDirectory(base.resolve(PREFIX + Long.toHexString(System.nanoTime())), permissions);
            } catch (FileAlreadyExistsException taken) {
                if (attempt == MAX_ATTEMPTS) {
                    throw taken;
                }
            }
        }
    }

    private static FileAttribute<?>[] onlyForOwner(Path base) {
        return base.getFileSystem().supportedFileAttributeViews().contains("posix")
                ? new FileAttribute<?>[] {
                    PosixFilePermissions.asFileAttribute(Set.of(PosixFilePermission.OWNER_READ,
                            PosixFilePermission.OWNER_WRITE, PosixFilePermission.OWNER_EXECUTE))}
                : new FileAttribute<?>[0]; // elsewhere a user's folder for temporary files is private
    }

    private static void write(Path file, byte[] content) throws IOException {
        try (OutputStream out = new FileOutputStream(file.toFile())) {
            out.write(content);
        }
        if (checksum(NativeLibrary.read(file)) != checksum(content)) {
            throw new IOException("the file did not keep what was written to it: " + file);
        }
    }

    /** Before the compiler is at work, this takes a tenth of the time of a comparison. */
    static long checksum(byte[] content) {
        CRC32 sum = new CRC32();
        sum.update(content);
        return sum.getValue();
    }

    /** Loads it into the class loader of this class. */
    void load() throws IOException {
        if (unnamed != null) {
            unnamed.load();
        } else {
            System.load(file.toString());
        }
    }

    /** Deletes the copy; a file that can't be deleted while it is loaded stays. */
    @Override
    public void close() throws IOException {
        if (unnamed != null) {
            unnamed.close();
        }
        deleteBoth();
    }

    private void deleteBoth() {
        try {
            Files.deleteIfExists(file);
            Files.deleteIfExists(folder);
        } catch (IOException stillInUse) {
            return; // a later VM will
        }
    }
}
