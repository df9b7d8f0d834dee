// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.jni;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Turns a failure to load the library into words: what was tried, what the system said, what the user can do.
 *
 * <p>Stateless.
 */
final class LoadAdvice {

    private LoadAdvice() {
    }

    private static String ownFolder() {
        return "write " + LibraryResource.fileName()
                + " to a folder by java -jar pollux.jar extract DIR, and name it by -D"
                + NativeLibrary.PATH_PROPERTY + "=DIR";
    }

    private static String otherTmpdir() {
        return "name a folder that is writable, has room and permits execution by -D" + NativeLibrary.TMPDIR_PROPERTY
                + "=DIR, or " + ownFolder();
    }

    /**
     * Explains a library that could not be loaded.
     *
     * @param tried   what was tried
     * @param failure what came of it
     * @return the exception to throw
     */
    static IOException explain(String tried, Throwable failure) {
        String advice = advice(failure, String.valueOf(failure.getMessage()));
        return new IOException(tried + ": " + text(failure) + (advice.isEmpty() ? "" : ". " + advice), failure);
    }

    /**
     * Explains a folder for temporary files that did not take the library.
     *
     * @param folder  the folder
     * @param size    how many bytes it should have taken
     * @param failure what came of it
     * @return the exception to throw
     */
    static IOException temporaryFolder(String folder, int size, IOException failure) {
        return new IOException("the folder for temporary files, " + folder + ", did not take the library (" + size
                + " bytes): " + text(failure) + ". To help, " + otherTmpdir(), failure);
    }

    /**
     * Explains a folder in which others could put another library in the place of ours.
     *
     * @param folder the folder
     * @return the exception to throw
     */
    static IOException openToAll(Path folder) {
        return new IOException("all users may rename what lies in " + folder + ", since it or a folder above it may be"
                + " written by all and has no sticky bit: what is loaded could be another one's. Set that bit by"
                + " chmod +t");
    }

    /**
     * Explains a library that has not the native methods of this jar.
     *
     * @param source the library
     * @param reason what tells
     * @param cause  what went wrong; null if nothing did yet
     * @return the exception to throw
     */
    static IOException otherVersion(String source, String reason, Throwable cause) {
        return new IOException("the native library " + source + " belongs to another version of Pollux: " + reason
                + ". Take the library from this jar by java -jar pollux.jar extract DIR, or build it from the same"
                + " sources", cause);
    }

    /**
     * Explains that the folder of the user's choice has no library.
     *
     * @param file the file that is missing
     * @param what the same, for people
     * @return the exception to throw
     */
    static IOException missing(Path file, String what) {
        String other = LibraryResource.nameOfTheCLibrary();
        String confused = "The " + other + " in that folder is the library for C programs. ";
        return new IOException("there is no file " + what + ". "
                + (Files.exists(file.resolveSibling(other)) ? confused : "")
                + "Let the property name the folder that holds " + LibraryResource.fileName()
                + ", or leave it out: then the library in the jar is used");
    }

    /**
     * Explains that the jar has no library for this platform.
     *
     * @param platform this platform
     * @return the exception to throw
     */
    static IOException unsupported(Platform platform) {
        Set<String> have = LibraryResource.platforms();
        return new IOException("there is no native library for " + platform.folder() + " (tried "
                + platform.folders() + "); this jar has " + (have.isEmpty() ? "none" : have)
                + ". Use a jar that was built on such a machine, or -Pall-platforms, or name the folder of a library"
                + " that you have built, by -D" + NativeLibrary.PATH_PROPERTY + "=DIR");
    }

    /**
     * Makes one exception of several.
     *
     * @param failures at least one, the most telling first
     * @return the exception to throw
     */
    static IOException join(List<Throwable> failures) {
        IOException all = new IOException(
                failures.stream().map(Throwable::getMessage).collect(Collectors.joining("; ")), failures.get(0));
        failures.stream().skip(1).forEach(all::addSuppressed);
        return all;
    }

    /** The system's loader says what is wrong in its message only; these are the messages of glibc and musl. */
    private static String advice(Throwable failure, String message) {
        if (failure instanceof IllegalCallerException) {
            Module us = LoadAdvice.class.getModule();
            return "This VM forbids native code; allow it with --enable-native-access="
                    + (us.isNamed() ? us.getName() : "ALL-UNNAMED");
        }
        if (containsAny(message, "failed to map segment", "Operation not permitted", "Permission denied")) {
            return "Its folder is probably mounted noexec: " + otherTmpdir();
        }
        if (containsAny(message, "wrong ELF class", "Possible cause", "Exec format error")) {
            return "The library is for another processor: use a jar that was built on such a machine";
        }
        if (containsAny(message, "invalid ELF", "file too short", "corrupt", "ELF load command")) {
            return "The jar or the file is damaged or cut off: fetch it again";
        }
        if (containsAny(message, "GLIBC_", "relocating", "libc.")) {
            return "The library is for another C library, or a newer one: use a jar that was built on such a machine";
        }
        return "";
    }

    private static boolean containsAny(String message, String... parts) {
        for (String part : parts) {
            if (message.contains(part)) {
                return true;
            }
        }
        return false;
    }

    private static String text(Throwable failure) {
        return failure.getClass() == IOException.class ? failure.getMessage() : failure.toString();
    }
}
