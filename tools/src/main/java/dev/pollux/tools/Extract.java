// SPDX-License-Identifier: Apache-2.0
package dev.pollux.tools;

import dev.pollux.internal.jni.LibraryResource;
import dev.pollux.internal.jni.NativeLibrary;
import dev.pollux.internal.jni.Platform;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/**
 * {@code java -jar pollux-tools.jar extract DIR}: writes the native library from the jar to a folder, for programs that
 * may not write or load it when they start. {@link NativeLibrary#PATH_PROPERTY} names the folder then.
 */
@Command(name = "extract", description = {"Writes the native library to a folder.",
        "For programs that run where no folder for temporary files is writable and permits execution. Start them with"
                + " -Ddev.pollux.library.path=DIR. A library that is there already is replaced; programs that have"
                + " loaded it go on with the old one."})
final class Extract implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Parameters(paramLabel = "DIR", description = "the folder; made if it is missing")
    private Path folder;

    @Option(names = "--platform", paramLabel = "NAME",
            description = "the library for another platform than this one, as in linux-x86_64-musl")
    private String platform;

    @Override
    public Integer call() throws IOException {
        Path absolute = folder.toAbsolutePath().normalize();
        List<String> platforms = platform == null ? Platform.current().folders() : List.of(platform);
        for (String name : platforms) {
            LibraryResource resource = LibraryResource.of(name, LibraryResource.fileName(name));
            byte[] content = resource.read();
            if (content != null) {
                Path file = absolute.resolve(LibraryResource.fileName(name));
                write(file, content);
                PrintWriter out = spec.commandLine().getOut();
                out.println("wrote " + file + ", the library for " + name);
                out.println("start programs with -D" + NativeLibrary.PATH_PROPERTY + "=" + absolute);
                return ExitCode.OK;
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
