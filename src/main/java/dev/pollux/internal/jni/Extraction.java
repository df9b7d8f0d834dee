// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.jni;

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
 * {@code java -jar pollux.jar extract DIR}: writes the native library from the jar to a folder, for programs that may
 * not write or load it when they start. {@link NativeLibrary#PATH_PROPERTY} names the folder then. Stateless.
 */
public final class Extraction {
    private static final String HELP = """
            usage: java -jar pollux.jar extract DIR [--platform NAME]

            Writes the native library to the folder DIR, for programs that run where no folder for temporary files is
            writable and permits execution. Start them with -Ddev.pollux.library.path=DIR. A library that is there
            already is replaced; programs that have loaded it go on with the old one.

              --platform NAME   the library for another platform than this one, as in linux-x86_64-musl
              -h, --help        show this text

            Exit code: 0, 1 if the library can't be written, 2 if the command line is wrong.
            """;
    private static final int CANNOT = 1;
    private static final int USAGE = 2;

    private Extraction() {
    }

    /**
     * Does what these arguments ask for.
     *
     * @return the exit code: 0; 1 if the library can't be written; 2 if the arguments are wrong
     */
    public static int run(List<String> arguments, PrintStream out, PrintStream err) {
        if (arguments.contains("--help")) {
            out.print(HELP);
            return 0;
        }
        boolean named = arguments.size() == 3 && arguments.get(1).equals("--platform");
        if (arguments.isEmpty() || arguments.get(0).startsWith("-") || arguments.size() > 1 && !named) {
            err.println("not a command line of extract: " + String.join(" ", arguments));
            HELP.lines().findFirst().ifPresent(err::println);
            return USAGE;
        }
        try {
            out.println(extract(Path.of(arguments.get(0)).toAbsolutePath().normalize(), named ? arguments.get(2) : ""));
            return 0;
        } catch (IOException | InvalidPathException e) {
            err.println("could not write the library to " + arguments.get(0) + ": "
                    + (e.getClass() == IOException.class ? e.getMessage() : e));
            return CANNOT;
        }
    }

    private static String extract(Path folder, String platform) throws IOException {
        List<String> platforms = platform.isEmpty() ? Platform.current().folders() : List.of(platform);
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
