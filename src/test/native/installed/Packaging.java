// SPDX-License-Identifier: Apache-2.0
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What is installed, from these sources and from copies of them, and that the headers go through each C and C++. */
final class Packaging {
    private static final String COPY_VERSION = "7.8.9-SNAPSHOT";
    private final Path sources = Path.of("").toAbsolutePath();
    private final Path dir;
    private final Library library;
    private final String version;
    private final Path copy;

    Packaging(Path dir, Library library) throws IOException {
        this.dir = dir;
        this.library = library;
        version = Files.readString(sources.resolve("pom.xml")).replaceFirst("(?s).*?<version>(.*?)<.*", "$1");
        copy = dir.resolve("a program/src/main/native");
    }

    void runIn(Checks checks) {
        checks.check("it installs without a JDK", () -> Library.install(sources, library.staged()));
        checks.check("what is installed is header, libraries and pollux.pc", this::filesAreThoseOfALibrary);
        checks.check("the shared library's name is that of its interface", () -> Checks.expect(
                Command.of("readelf", "-d", library.lib().resolve("libpollux.so")).output()
                        .contains("Library soname: [libpollux.so." + major() + "]"), "another name"));
        checks.check("the shared library offers what the headers declare, and nothing else", () -> Checks.expectEqual(
                Pattern.compile("(?m)^PLX_API .*\\b(plx_[a-z_]+)\\(").matcher(library.headers()).results()
                        .map(name -> name.group(1)).sorted().toList(), names("-D", "libpollux.so")));
        checks.check("the static library defines no name that is not plx_", () -> Checks.expectEqual(List.of(),
                names("-g", "libpollux.a").stream().filter(name -> !name.startsWith("plx_")).toList()));
        checks.check("pkg-config tells of threads", () -> Checks.expect(
                library.packaged("--libs", "--static").matches(".*-lpollux.*-pthread.*"), "it does not"));
        checks.check("header, library, its file and pkg-config tell one version", () -> oneVersion(library, version));
        checks.check("built elsewhere it is the same, byte for byte", this::elsewhereItIsTheSame);
        runOnCopies(checks);
        if (Command.isThere("bmake")) { // test.sh has it
            checks.check("BSD make says that GNU make is needed", () ->
                    Command.of("bmake", "-C", "src/main/native", "install").refuses("needs GNU make"));
        }
        checks.check("other folders for libraries and header are named", this::otherFoldersAreNamed);
        for (String standard : List.of("c99", "c11", "c17")) {
            checks.check("the headers compile as " + standard, () -> headersCompile(Library.compiler(), "c", standard));
        }
        for (String standard : List.of("c++98", "c++11", "c++14", "c++17", "c++20")) {
            checks.check("the headers compile as " + standard, () ->
                    headersCompile(System.getenv().getOrDefault("CXX", "c++"), "c++", standard));
        }
    }

    /** The library's folder is copied to where it lies here, but in another project. */
    private void runOnCopies(Checks checks) {
        checks.check("a copy of the folder asks for a version", () -> {
            Files.createDirectories(copy.getParent());
            Command.of("cp", "-r", "src/main/native", copy).output();
            Files.writeString(dir.resolve("a program/pom.xml"),
                    Files.readString(Path.of("pom.xml")).replace(">pollux-parent<", ">program<"));
            Command.of("make", "-C", copy, "install").refuses(
                    "no version: the folder was copied out of the project; give VERSION=1.2.3");
        });
        checks.check("a copy is built and installed from itself alone", this::aCopyIsInstalledFromItself);
        checks.check("and all of it tells the version that was given", () ->
                oneVersion(new Library(dir.resolve("copied")), COPY_VERSION));
        checks.check("a prefix that is no absolute path is refused", () ->
                Command.of("make", "-C", copy, "install", "PREFIX=here", "VERSION=1.2.3")
                        .refuses("PREFIX is here, which is no absolute path"));
        checks.check("what is no version is refused", () -> Command.of("make", "-C", copy, "library", "VERSION=1.x")
                .refuses("VERSION is 1.x, which is no version"));
        checks.check("what is no C11 compiler is named", () ->
                Command.of("make", "-C", "src/main/native", "library", "CC=false").refuses("false: no C11 compiler"));
    }

    private String major() {
        return version.replaceFirst("\\..*", "");
    }

    private void oneVersion(Library which, String expected) throws IOException, InterruptedException {
        which.tellsOneVersion(expected, Path.of("src/test/native/installed/versions.c"), dir.resolve("versions"));
    }

    private void filesAreThoseOfALibrary() throws IOException, InterruptedException {
        String found = Command.of("find", library.staged(), "!", "-type", "d", "-printf", "%P %m %l\n").output()
                .lines().map(String::strip).sorted().collect(Collectors.joining("\n"));
        Checks.expectEqual("""
                opt/pollux/include/pollux/arena.h 644
                opt/pollux/include/pollux/pollux.h 644
                opt/pollux/lib/libpollux.a 644
                opt/pollux/lib/libpollux.so 777 libpollux.so.MAJOR
                opt/pollux/lib/libpollux.so.MAJOR 777 libpollux.so.VERSION
                opt/pollux/lib/libpollux.so.VERSION 755
                opt/pollux/lib/pkgconfig/pollux.pc 644""".replace("MAJOR", major()).replace("VERSION", version), found);
    }

    /** {@return the names that a file defines, sorted} */
    private List<String> names(String option, String file) throws IOException, InterruptedException {
        return Command.of("nm", option, "--defined-only", library.lib().resolve(file)).output().lines()
                .map(line -> line.split(" +")).filter(words -> words.length == 3).map(words -> words[2]).sorted()
                .toList();
    }

    private void elsewhereItIsTheSame() throws IOException, InterruptedException {
        Path tree = Files.createDirectories(dir.resolve("tree/src/main")).resolve("../..").normalize();
        Command.of("cp", "pom.xml", tree).output();
        Command.of("cp", "-r", "src/main/native", tree.resolve("src/main")).output();
        Library.install(tree, dir.resolve("again"));
        Command.of("diff", "-r", library.staged(), dir.resolve("again")).output();
    }

    private void aCopyIsInstalledFromItself() throws IOException, InterruptedException {
        FileTime before = Files.getLastModifiedTime(Files.createFile(dir.resolve("before")));
        Library.make("-C", copy, "install", "VERSION=" + COPY_VERSION, "PREFIX=" + Library.PREFIX,
                "DESTDIR=" + dir.resolve("copied")).output();
        Checks.expect(Files.isDirectory(copy.resolve("build")), "nothing was built");
        try (Stream<Path> files = Files.walk(dir.resolve("a program"))) {
            for (Path file : files.filter(each -> !each.startsWith(copy)).toList()) {
                Checks.expect(Files.getLastModifiedTime(file).compareTo(before) <= 0, file + " has changed");
            }
        }
    }

    private void otherFoldersAreNamed() throws IOException, InterruptedException {
        Path other = dir.resolve("other");
        Library.make("-C", "src/main/native", "install", "PREFIX=/usr", "LIBDIR=/usr/lib/abi",
                "INCLUDEDIR=/usr/include/pollux-0", "DESTDIR=" + other).output();
        Checks.expect(Files.isRegularFile(other.resolve("usr/include/pollux-0/pollux/pollux.h")), "no header");
        Checks.expectEqual("-I/usr/include/pollux-0 -L/usr/lib/abi -lpollux",
                Command.of("pkg-config", "--cflags", "--libs", "pollux")
                        .with("PKG_CONFIG_LIBDIR", other.resolve("usr/lib/abi/pkgconfig"))
                        .with("PKG_CONFIG_ALLOW_SYSTEM_LIBS", 1).output().strip());
    }

    /** As they are installed, with no other header before them. */
    private void headersCompile(String compiler, String language, String standard)
            throws IOException, InterruptedException {
        String usesPollux = """
                #include <pollux/pollux.h>
                int version_of(plx_event *event);
                int version_of(plx_event *event) { event->cookie = PLX_NO_COOKIE; return PLX_VERSION + plx_version(); }
                """;
        String usesArena = """
                #include <pollux/arena.h>
                int echo(plx_arena *arena, const plx_arrival *a, plx_order *o);
                int echo(plx_arena *arena, const plx_arrival *a, plx_order *o) {
                    o->connection = a->connection; o->address = a->address; o->length = a->length;
                    o->what = a->what == PLX_ARRIVAL_DATA ? PLX_ORDER_SEND | PLX_ORDER_NOTIFY : PLX_ORDER_CLOSE;
                    return plx_arena_turn(arena, 1, -1);
                }
                """;
        for (String program : List.of(usesPollux, usesArena)) {
            Command.of(compiler, "-x", language, "-std=" + standard, "-pedantic-errors", "-Wall", "-Wextra", "-Werror",
                    "-I" + library.include(), "-fsyntax-only", "-").input(program).output();
        }
    }
}
