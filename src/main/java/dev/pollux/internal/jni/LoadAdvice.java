// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.jni;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The exceptions to throw if the library can't be loaded: what was tried, what the system said, what to do. */
final class LoadAdvice {

    private static final String MORE_DESCRIPTORS = "Raise the limit of open files (ulimit -n)";

    private LoadAdvice() {
    }

    private static String ownFolder() {
        return "write " + LibraryResource.fileName()
                + " to a folder by java -jar pollux-tools.jar extract DIR, and name it by -D"
                + NativeLibrary.PATH_PROPERTY + "=DIR";
    }

    private static String otherTmpdir() {
        return "name a folder that is writable, has room and permits execution by -D" + NativeLibrary.TMPDIR_PROPERTY
                + "=DIR, or " + ownFolder();
    }

    static IOException explain(String tried, Throwable failure) {
        String advice = advice(failure, String.valueOf(failure.getMessage()));
        return new IOException(tried + ": " + text(failure) + (advice.isEmpty() ? "" : ". " + advice), failure);
    }

    static IOException temporaryFolder(String folder, int size, IOException failure) {
        String advice = isDescriptorLimit(String.valueOf(failure.getMessage())) ? MORE_DESCRIPTORS
                : "To help, " + otherTmpdir();
        return new IOException("the folder for temporary files, " + folder + ", did not take the library (" + size
                + " bytes): " + text(failure) + ". " + advice, failure);
    }

    static IOException openToAll(Path folder) {
        return new IOException("all users may rename what lies in " + folder + ", since it or a folder above it may be"
                + " written by all and has no sticky bit: what is loaded could be another one's. Set that bit by"
                + " chmod +t");
    }

    static IOException otherVersion(String source, String reason, Throwable cause) {
        return new IOException("the native library " + source + " belongs to another version of Pollux: " + reason
                + ". Take that of this version by java -jar pollux-tools.jar extract DIR, or build it from the same"
                + " sources", cause);
    }

    static IOException missing(Path file, String described) {
        String other = System.mapLibraryName("pollux");
        String confused = "The " + other + " in that folder is the library for C programs. ";
        return new IOException("there is no file " + described + ". "
                + (Files.exists(file.resolveSibling(other)) ? confused : "")
                + "Let the property name the folder that holds " + LibraryResource.fileName()
                + ", or leave it out: then the library in the jar is used");
    }

    static IOException unsupported(Platform platform) {
        Set<String> have = LibraryResource.platforms();
        return new IOException("there is no native library for " + platform.folder() + " (tried "
                + platform.folders() + "); this jar has " + (have.isEmpty() ? "none" : have)
                + ". Use a jar that was built on such a machine, or -Pall-platforms, or name the folder of a library"
                + " that you have built, by -D" + NativeLibrary.PATH_PROPERTY + "=DIR");
    }

    /** One exception of several, with the first one as its cause. */
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
        if (isDescriptorLimit(message)) {
            return message.contains(MORE_DESCRIPTORS) ? "" : MORE_DESCRIPTORS;
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

    /** EMFILE and ENFILE, as the C library words them. */
    private static boolean isDescriptorLimit(String message) {
        return message.contains("Too many open files");
    }

    private static boolean containsAny(String message, String... parts) {
        return Stream.of(parts).anyMatch(message::contains);
    }

    private static String text(Throwable failure) {
        return failure.getClass() == IOException.class ? failure.getMessage() : failure.toString();
    }
}
