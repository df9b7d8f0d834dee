// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.jni;

import java.io.FileInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Finds the native library and loads it into the class loader of this class. Each class loader loads a copy of its own,
 * because a VM refuses to load one file for two class loaders. Used by one thread.
 */
public final class NativeLibrary {

    /** System property: the folder that holds the native library; nothing is extracted if it is set. */
    public static final String PATH_PROPERTY = "dev.pollux.library.path";

    /** Default of {@link #PATH_PROPERTY}: none, the library is taken from the jar. */
    public static final String PATH_DEFAULT = "";

    /** System property: the folder the library from the jar is extracted to while it is loaded. */
    public static final String TMPDIR_PROPERTY = "dev.pollux.tmpdir";

    /** Default of {@link #TMPDIR_PROPERTY}: the folder that this other system property names. */
    public static final String TMPDIR_DEFAULT = "java.io.tmpdir";

    private NativeLibrary() {
    }

    /**
     * {@return where the library that was loaded came from, for people}
     *
     * @throws IOException if it could not be loaded; the message says what was tried and what to do
     */
    public static String load(Platform platform) throws IOException {
        String folder = System.getProperty(PATH_PROPERTY, PATH_DEFAULT);
        return !folder.isEmpty() ? fromFolder(folder) : fromJar(platform);
    }

    private static String fromFolder(String folder) throws IOException {
        Path file = Path.of(folder).toAbsolutePath().resolve(LibraryResource.fileName());
        String what = file + " (-D" + PATH_PROPERTY + ')';
        if (!Files.isRegularFile(file)) {
            throw LoadAdvice.missing(file, what);
        }
        try {
            byte[] content = read(file);
            LibraryFormat.check(content);
            loadOrCopy(file, content);
            return requireBuild(what);
        } catch (IOException | LinkageError | IllegalCallerException e) {
            throw LoadAdvice.explain("could not load " + what, e);
        }
    }

    private static String fromJar(Platform platform) throws IOException {
        List<Throwable> failures = new ArrayList<>();
        for (String folder : platform.folders()) {
            LibraryResource resource = LibraryResource.of(folder, LibraryResource.fileName());
            try {
                byte[] content = resource.read();
                if (content != null) {
                    loadCopy(content);
                    return requireBuild(resource.toString());
                }
            } catch (IOException | LinkageError | IllegalCallerException e) {
                failures.add(LoadAdvice.explain("could not load " + resource, e));
            }
        }
        throw failures.isEmpty() ? LoadAdvice.unsupported(platform) : LoadAdvice.join(failures);
    }

    /** The folder of the user's choice is taken as it is, unless another class loader has taken it before. */
    private static void loadOrCopy(Path file, byte[] content) throws IOException {
        try {
            System.load(file.toString());
        } catch (UnsatisfiedLinkError e) {
            if (!isTaken(e)) {
                throw e;
            }
            loadCopy(content);
        }
    }

    /** Whether another class loader of this VM has loaded a library of that name. */
    static boolean isTaken(UnsatisfiedLinkError refusal) {
        return String.valueOf(refusal.getMessage()).contains("already loaded in another classloader");
    }

    /** Without a channel of java.nio: see {@link LibraryCopy}. */
    static byte[] read(Path file) throws IOException {
        try (FileInputStream in = new FileInputStream(file.toFile())) {
            return in.readAllBytes();
        }
    }

    /** A library of another build may lack a method that is called much later. */
    private static String requireBuild(String source) throws IOException {
        String expected = LibraryResource.build();
        String found;
        try {
            found = Natives.build();
        } catch (UnsatisfiedLinkError e) {
            throw LoadAdvice.otherVersion(source, e.getMessage(), e);
        }
        if (!found.equals(expected)) {
            throw LoadAdvice.otherVersion(source, "it is of build " + found + ", and this jar needs " + expected, null);
        }
        return source;
    }

    private static void loadCopy(byte[] content) throws IOException {
        LibraryFormat.check(content);
        try (LibraryCopy copy = LibraryCopy.write(content)) {
            copy.load();
        }
    }
}
