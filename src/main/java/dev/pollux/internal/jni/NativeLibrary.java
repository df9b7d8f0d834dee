// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.jni;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Finds the native library and loads it into the class loader of this class.
 *
 * <p>Called once per class loader, by the start-up class, which serializes the callers. Each class loader loads a
 * copy of its own, because a VM refuses to load one file for two class loaders.
 *
 * @param source where the library came from, for people
 */
public record NativeLibrary(String source) {

    /** System property: the folder that holds the native library; nothing is extracted if it is set. */
    public static final String PATH_PROPERTY = "dev.pollux.library.path";

    /** Default of {@link #PATH_PROPERTY}: none, the library is taken from the jar. */
    public static final String PATH_DEFAULT = "";

    /** System property: the folder the library from the jar is extracted to while it is loaded. */
    public static final String TMPDIR_PROPERTY = "dev.pollux.tmpdir";

    /** Default of {@link #TMPDIR_PROPERTY}: the folder that this other system property names. */
    public static final String TMPDIR_DEFAULT = "java.io.tmpdir";

    /**
     * Taken while a copy exists. A literal is one object for all class loaders of a VM, and they must take turns: when
     * one of them looks at a lock file and closes it again, POSIX drops the whole process's locks on that file.
     */
    private static final String ONE_COPY_AT_A_TIME = "dev.pollux.internal.jni.NativeLibrary: one copy at a time";

    /**
     * Loads the library.
     *
     * @param platform where we are
     * @return what was loaded
     * @throws IOException if it could not be loaded; the message says what was tried and what to do
     */
    public static NativeLibrary load(Platform platform) throws IOException {
        String folder = System.getProperty(PATH_PROPERTY, PATH_DEFAULT);
        return !folder.isEmpty() ? fromFolder(folder) : fromJar(platform);
    }

    private static NativeLibrary fromFolder(String folder) throws IOException {
        Path file = Path.of(folder).toAbsolutePath().resolve(LibraryResource.fileName());
        String what = file + " (-D" + PATH_PROPERTY + ')';
        if (!Files.isRegularFile(file)) {
            throw LoadAdvice.missing(file, what);
        }
        try {
            LibraryFormat.check(Files.readAllBytes(file));
            loadOrCopy(file);
            return new NativeLibrary(what);
        } catch (IOException | LinkageError | IllegalCallerException e) {
            throw LoadAdvice.explain("could not load " + what, e);
        }
    }

    private static NativeLibrary fromJar(Platform platform) throws IOException {
        List<Throwable> failures = new ArrayList<>();
        for (String folder : platform.folders()) {
            LibraryResource resource = LibraryResource.of(folder);
            try {
                byte[] content = resource.read();
                if (content != null) {
                    loadCopy(content);
                    return new NativeLibrary(resource.toString());
                }
            } catch (IOException | LinkageError | IllegalCallerException e) {
                failures.add(LoadAdvice.explain("could not load " + resource, e));
            }
        }
        throw failures.isEmpty() ? LoadAdvice.unsupported(platform) : LoadAdvice.join(failures);
    }

    /** The folder of the user's choice is taken as it is, unless another class loader has taken it before. */
    private static void loadOrCopy(Path file) throws IOException {
        try {
            System.load(file.toString());
        } catch (UnsatisfiedLinkError e) {
            if (!String.valueOf(e.getMessage()).contains("already loaded in another classloader")) {
                throw e;
            }
            loadCopy(Files.readAllBytes(file));
        }
    }

    private static void loadCopy(byte[] content) throws IOException {
        LibraryFormat.check(content);
        synchronized (ONE_COPY_AT_A_TIME) {
            try (LibraryCopy copy = LibraryCopy.write(content)) {
                System.load(copy.file().toString());
            }
        }
    }
}
