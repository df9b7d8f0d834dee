// SPDX-License-Identifier: Apache-2.0
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * The C library as it was installed into a folder. Immutable.
 *
 * @param staged the folder, which stands for the root of a system
 */
record Library(Path staged) {
    static final String PREFIX = "/opt/pollux";
    private static final List<String> STRICT = List.of("-std=c11", "-O2", "-Wall", "-Wextra", "-Wpedantic", "-Werror");

    /** How a program is linked: with the shared or the static library, or with all that is emulated for tests. */
    enum Kind {
        SHARED, STATIC, EMULATED;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    static Command make(Object... words) {
        return Command.of("make", "--no-print-directory", Arrays.asList(words));
    }

    /** With no JDK to be found. */
    static Library install(Path sources, Path staged) throws IOException, InterruptedException {
        make("-C", sources.resolve("src/main/native"), "install", "PREFIX=" + PREFIX, "DESTDIR=" + staged,
                "JAVA_HOME=/nonexistent").output();
        return new Library(staged);
    }

    Path lib() {
        return Path.of(staged + PREFIX, "lib");
    }

    Path include() {
        return Path.of(staged + PREFIX, "include");
    }

    /** {@return the text of both headers} */
    String headers() throws IOException {
        return Files.readString(include().resolve("pollux/pollux.h"))
                + Files.readString(include().resolve("pollux/arena.h"));
    }

    /** {@return what pkg-config says of this library, and of no other one} */
    String packaged(String... options) throws IOException, InterruptedException {
        return Command.of("pkg-config", List.of(options), "pollux").with("PKG_CONFIG_LIBDIR", lib() + "/pkgconfig")
                .with("PKG_CONFIG_SYSROOT_DIR", staged).output().strip();
    }

    /** Compiles a program as the heads of the examples have it. */
    void compile(Kind kind, Path source, Path program, String... flags) throws IOException, InterruptedException {
        List<String> linked = new ArrayList<>();
        if (kind == Kind.SHARED) {
            linked.addAll(List.of(packaged("--cflags", "--libs").split(" +")));
        } else {
            linked.addAll(List.of(packaged("--static", "--cflags", "--libs").split(" +")));
            linked.add("-static");
        }
        Command.of(compiler(), STRICT, List.of(flags), source, linked, "-o", program).output();
    }

    static String compiler() {
        return System.getenv().getOrDefault("CC", "cc");
    }

    /** The shared library is found where it is staged. The static one must not need that. */
    Command running(Kind kind, Path program, Object... arguments) {
        Command command = Command.of(program, Arrays.asList(arguments));
        return kind == Kind.SHARED ? command.with("LD_LIBRARY_PATH", lib()) : command;
    }

    /** What is installed tells one version everywhere. Header and library have no qualifier. */
    void tellsOneVersion(String version, Path source, Path program) throws IOException, InterruptedException {
        Checks.expectEqual(version, packaged("--modversion"));
        Checks.expect(Files.isRegularFile(lib().resolve("libpollux.so." + version)), "no file of that version");
        String number = version.replaceFirst("-.*", "");
        for (Kind kind : List.of(Kind.SHARED, Kind.STATIC)) {
            compile(kind, source, program);
            Checks.expectEqual("header " + number + ", library " + number, running(kind, program).output().strip());
        }
    }
}
