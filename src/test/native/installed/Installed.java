// SPDX-License-Identifier: Apache-2.0
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/**
 * Installs the C library into an empty folder, as a package would be made of it, and uses it as a stranger does:
 * through pkg-config, the examples compiled against the shared and the static library, and talked to over TCP and UDP.
 * So are the examples with the mechanisms that are emulated here, under the sanitizers. That it can be built without a
 * JDK is one of the checks, though they are written in Java.
 */
public final class Installed {
    private final Path dir;
    private final Library library;
    private final Checks checks = new Checks();

    private Installed(Path dir) {
        this.dir = dir;
        library = new Library(dir.resolve("staged"));
    }

    public static void main(String[] arguments) throws Exception {
        Path dir = Files.createTempDirectory("pollux-installed");
        Installed installed = new Installed(dir);
        try {
            installed.run();
        } finally {
            Command.of("rm", "-rf", dir).output();
        }
        installed.checks.finish();
    }

    private void run() throws IOException, InterruptedException {
        new Packaging(dir, library).runIn(checks);
        checks.check("the examples are short", this::examplesAreShort);
        checks.check("the example in docs/c-library.md does what it says", this::documentedExampleRuns);
        for (Library.Kind kind : Library.Kind.values()) {
            Examples examples = new Examples(checks, library, kind, dir.resolve(kind.toString()));
            examples.compile();
            examples.use();
        }
        checks.check("uninstalling leaves nothing", this::nothingIsLeft);
    }

    private void examplesAreShort() throws IOException {
        for (String limit : new String[] {"echo 59", "batches 60", "sources 80"}) {
            String[] words = limit.split(" ");
            int lines = Files.readAllLines(Path.of("src/main/native/example", words[0] + ".c")).size();
            Checks.expect(lines <= Integer.parseInt(words[1]), words[0] + ".c has " + lines + " lines");
        }
    }

    /** As a reader would copy it. */
    private void documentedExampleRuns() throws IOException, InterruptedException {
        Path source = dir.resolve("documented.c");
        Path program = dir.resolve("documented");
        Files.writeString(source, Files.readString(Path.of("docs/c-library.md"))
                .replaceFirst("(?s).*?\n```c\n(.*?)```\n.*", "$1"));
        library.compile(Library.Kind.SHARED, source, program, "-Wconversion", "-Wsign-conversion");
        Checks.expectEqual("one\ntwo\n",
                library.running(Library.Kind.SHARED, program).input("one\ntwo\n").output());
        library.running(Library.Kind.SHARED, program).input(new File("pom.xml")) // a regular file
                .refuses("Operation not permitted (EPERM)");
    }

    private void nothingIsLeft() throws IOException, InterruptedException {
        Library.make("-C", "src/main/native", "uninstall", "PREFIX=" + Library.PREFIX, "DESTDIR=" + library.staged())
                .output();
        try (Stream<Path> files = Files.walk(library.staged())) {
            Checks.expectEqual(0L, files.filter(file -> !Files.isDirectory(file)).count());
        }
        Checks.expect(!Files.exists(library.include().resolve("pollux")), "the folder of the headers is left");
    }
}
