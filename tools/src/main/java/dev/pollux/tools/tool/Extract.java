// SPDX-License-Identifier: Apache-2.0
package dev.pollux.tools.tool;

import dev.pollux.internal.jni.LibraryResource;
import dev.pollux.internal.jni.NativeLibrary;
import dev.pollux.internal.jni.Platform;
import dev.pollux.tools.tool.Command.Option;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.List;

/**
 * {@code java -jar pollux-tools.jar extract DIR}: writes the native library from the jar to a folder, for programs that may
 * not write or load it when they start. {@link NativeLibrary#PATH_PROPERTY} names the folder then. Stateless.
 */
public final class Extract {
    public static final Command COMMAND = new Command("extract", "writes the native library to a folder", "DIR",
            List.of(new Option("--platform NAME", "the library for another platform than this one, as in"
                    + " linux-x86_64-musl")), """
            Writes the native library to the folder DIR, for programs that run where no folder for temporary files is
            writable and permits execution. Start them with -Ddev.pollux.library.path=DIR. A library that is there
            already is replaced; programs that have loaded it go on with the old one.
            """, "", "the library can't be written", Extract::run);

    private Extract() {
    }

    private static int run(Arguments arguments, PrintStream out) throws IOException {
        try {
            Path folder = Path.of(arguments.text("DIR")).toAbsolutePath().normalize();
            out.println(extract(folder, arguments.text("--platform")));
            return 0;
        } catch (InvalidPathException e) {
            throw new IOException("not a folder: " + e.getMessage(), e);
        }
    }

    private static String extract(Path folder, String platform) throws IOException {
        List<String> platforms = platform == null ? Platform.current().folders() : List.of(platform);
        for (String name : platforms) {
            LibraryResource resource = LibraryResource.of(name, LibraryResource.fileName(name));
            byte[] content = resource.read();
            if (content != null) {
                Path file = folder.resolve(LibraryResource.fileName(name));
                write(file, content);
                return "wrote " + file + ", the library for " + name + System.lineSeparator()
                        + "start programs with -D" + NativeLibrary.PATH_PROPERTY + "=" + folder;
            }
        }
        throw new IOException("this jar has no library for " + String.join(" or ", platforms) + ". It has those for "
                + String.join(", ", LibraryResource.platforms()));
    }

    /** Others may read it, whatever this user's mask is: a program in a container mostly runs as another user. */
    private static void write(Path file, byte[] content) throws IOException {
        Path folder = file.getParent();
        if (!Files.isDirectory(folder)) {
            makeFolder(folder);
        }
        // In the same folder, so that it can take the old one's place in one step.
        Path whole = Files.createTempFile(folder, file.getFileName().toString(), ".new");
        try {
            Files.write(whole, content);
            if (!Arrays.equals(content, Files.readAllBytes(whole))) {
                throw new IOException("the file did not keep what was written to it");
            }
            allowAll(whole);
            Files.move(whole, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } finally {
            Files.deleteIfExists(whole);
        }
    }

    private static void makeFolder(Path folder) throws IOException {
        try {
            Files.createDirectories(folder);
        } catch (FileAlreadyExistsException e) {
            throw new IOException(e.getMessage() + " is a file, and no folder", e);
        }
        allowAll(folder);
    }

    private static void allowAll(Path path) throws IOException {
        if (path.getFileSystem().supportedFileAttributeViews().contains("posix")) {
            Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rwxr-xr-x"));
        }
    }
}
