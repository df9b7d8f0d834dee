// SPDX-License-Identifier: Apache-2.0
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Runs event loops that change threads and defer what they write, and StreamServers with hostile peers, in virtual
 * machines whose native library has a sanitizer: for races, for memory, or for what C leaves undefined. Linux on
 * x86-64, as the batch; io_uring is needed.
 *
 * <p>The virtual machine itself has none, so what it does with its own memory and locks is not seen. A report counts if
 * a function of ours is in it. All are left in target/sanitized.
 *
 * <p>Arguments: sanitizers ({@code thread}, {@code address}, {@code undefined}), by default all. Environment: REQUESTS,
 * by default 1000.
 */
public final class Sanitized {
    private static final Path OUT = Path.of("target/sanitized").toAbsolutePath();
    private static final String SECRET = "password";
    private static final String REQUESTS = Build.words("REQUESTS", "1000").get(0);
    private static final Pattern FIGURES = Pattern.compile("^[a-zA-Z]+=.*", Pattern.MULTILINE);

    private final Sanitizer sanitizer;
    private final String name;
    private final Path java;

    /**
     * One that gcc has. SIGSEGV is the virtual machine's own: it tells of null pointers and safepoints. What libraries
     * do that were not built for it, the virtual machine's on its heap above all, the thread sanitizer passes over.
     */
    private enum Sanitizer {
        THREAD("libtsan.so", "TSAN_OPTIONS", "handle_segv=0:report_signal_unsafe=0:detect_deadlocks=0:exitcode=0:"
                + "ignore_noninstrumented_modules=1:"
                + "suppressions=" + Path.of("src/test/sanitized/thread.supp").toAbsolutePath()),
        ADDRESS("libasan.so", "ASAN_OPTIONS", "handle_segv=0:detect_leaks=0:halt_on_error=0"),
        UNDEFINED("libubsan.so", "UBSAN_OPTIONS", "print_stacktrace=1");

        private final String library;
        private final String variable;
        private final String options;

        Sanitizer(String library, String variable, String options) {
            this.library = library;
            this.variable = variable;
            this.options = options;
        }

        private Path folder() {
            return OUT.resolve(flag());
        }

        private String flag() {
            return name().toLowerCase(Locale.ROOT);
        }

        /** Leaves the jar's library with it. */
        private void build() throws IOException, InterruptedException {
            Command.of("make", "--no-print-directory", "-C", "src/main/native", "NATIVE=" + folder(),
                    "OUT=" + folder(), "CFLAGS=-g -O1 -fsanitize=" + flag(), "LDFLAGS=-fsanitize=" + flag()).output();
        }
    }

    private Sanitized(Sanitizer sanitizer, String name, Path java) {
        this.sanitizer = sanitizer;
        this.name = name;
        this.java = java;
    }

    public static void main(String[] arguments) throws IOException, InterruptedException {
        Command.of("rm", "-rf", OUT).output();
        Files.createDirectories(OUT);
        Command.of(System.getProperty("java.home") + "/bin/keytool", "-genkeypair", "-alias", "server", "-keyalg",
                "RSA", "-dname", "CN=localhost", "-storetype", "PKCS12", "-keystore", OUT.resolve("keys"), "-storepass",
                SECRET).output();
        Checks checks = new Checks();
        List<Sanitizer> all = arguments.length == 0 ? List.of(Sanitizer.values())
                : Stream.of(arguments).map(name -> Sanitizer.valueOf(name.toUpperCase(Locale.ROOT))).toList();
        for (Sanitizer sanitizer : all) {
            sanitizer.build();
            for (String version : List.of("17", "25")) {
                String name = sanitizer.flag() + '-' + version;
                Path java = Build.installed(version);
                if (java == null) {
                    checks.skip(name + ": no such JDK");
                    continue;
                }
                checks.check(name, () -> new Sanitized(sanitizer, name, java).run("Loops", REQUESTS));
                for (String mechanism : List.of("io_uring", "epoll", "poll")) {
                    String server = name + '-' + mechanism;
                    checks.check(server, () -> new Sanitized(sanitizer, server, java)
                            .run("Connections", mechanism, 3, REQUESTS));
                }
            }
        }
        checks.finish();
    }

    /**
     * The address space is as the sanitizers know it only where it is not random. They name functions only of libraries
     * that were there from the start, and go by names in what they are told to leave out.
     */
    private void run(Object... program) throws IOException, InterruptedException {
        String library = Command.of("cc", "-print-file-name=" + sanitizer.library).output().strip()
                + ':' + sanitizer.folder().resolve("libpollux-jni.so");
        List<Object> words = new ArrayList<>(List.of("setarch", "-R", "env", "LD_PRELOAD=" + library, java, "-Xmx256m",
                "-cp", System.getProperty("java.class.path"), "-Ddev.pollux.library.path=" + sanitizer.folder(),
                "-Djava.nio.channels.spi.SelectorProvider=dev.pollux.PolluxSelectorProvider",
                "-Ddev.pollux.batch=all"));
        for (String store : List.of("keyStore", "trustStore")) {
            words.add("-Djavax.net.ssl." + store + '=' + OUT.resolve("keys"));
            words.add("-Djavax.net.ssl." + store + "Password=" + SECRET);
        }
        words.addAll(List.of(program));
        Command command = Command.of(words).with(sanitizer.variable,
                sanitizer.options + ":log_path=" + OUT.resolve(name + ".report"));
        String output = command.output();
        Files.writeString(OUT.resolve(name + ".log"), output);
        Checks.expectEqual("", reports());
        Checks.expect(output.contains("every byte was right"), output);
        Matcher figures = FIGURES.matcher(output);
        System.out.println("    " + (figures.find() ? figures.group() : ""));
    }

    /** {@return the reports in which a function of ours stands} */
    private String reports() throws IOException {
        StringBuilder ours = new StringBuilder();
        try (Stream<Path> files = Files.list(OUT)) {
            for (Path file : files.filter(path -> path.toString().startsWith(OUT + "/" + name + ".report.")).toList()) {
                Stream.of(Files.readString(file).split("==================+\n|\n\n\n"))
                        .filter(report -> report.contains("libpollux-jni") || report.contains("runtime error"))
                        .forEach(ours::append);
            }
        }
        return ours.toString();
    }
}
