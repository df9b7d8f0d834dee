// SPDX-License-Identifier: Apache-2.0
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * Runs OpenJDK's own tests of java.nio.channels with the JDK's default selector provider and with others, and says
 * which tests pass with only one of them. No file of OpenJDK is copied; test classes and results go to OUT. Arguments:
 *
 * <ul>
 * <li>an OpenJDK source tree of the JDK's release ({@code test/jdk}, {@code test/lib}, {@code test/jtreg-ext})
 * <li>the folder of the JDK to test
 * <li>providers, separated by commas; by default {@code dev.pollux.PolluxSelectorProvider}
 * <li>tests: files or folders below the tree's {@code test/jdk}, or {@code core}, which is all of
 *     {@code java/nio/channels} without {@code File*} and {@code Asynchronous*}; by default {@code java/nio/channels}
 * </ul>
 *
 * <p>Environment:
 *
 * <ul>
 * <li>JTREG_HOME: jtreg's folder, by default {@code /usr/share/jtreg}, Debian's jtreg7 or jtreg8. The tests of 17 want
 *     jtreg 7.4 or later, those of 25 jtreg 8
 * <li>JTREG_CONCURRENCY: test VMs at a time, by default the number of processors
 * <li>OUT: where results are kept, by default target/openjdk. The run with the default provider of the same JDK and
 *     tests that is there is used again
 * <li>POLLUX_JAR: by default the jar in target
 * <li>OPTIONS: more options for the VMs of tests with a provider, {@code -Ddev.pollux.batch=all} for example
 * </ul>
 *
 * <p>Exit status: 0 no regression, 1 regressions, 2 not run or nothing proved.
 */
public final class OpenJdk {
    private static final String CHANNELS = "java/nio/channels";
    private static final String JTREG = System.getenv().getOrDefault("JTREG_HOME", "/usr/share/jtreg");
    private static final Path HERE = Path.of("jtreg-tests/openjdk");

    private final Path sources;
    private final Path jdk;
    private final Path jar;
    private final Path out;
    private final String release;

    private OpenJdk(Path sources, Path jdk) throws IOException {
        this.sources = existing(sources, "test/jdk/TEST.ROOT");
        this.jdk = existing(jdk, "include/jvmti.h");
        existing(Path.of(JTREG), "lib/jtreg.jar");
        out = Files.createDirectories(Path.of(System.getenv().getOrDefault("OUT", "target/openjdk"))).toRealPath();
        jar = out.resolve("pollux.jar"); // a path of ours: child VMs get the options, and blanks would end them
        String named = System.getenv("POLLUX_JAR");
        Files.copy(named == null ? Build.jar(".") : Path.of(named), jar, StandardCopyOption.REPLACE_EXISTING);
        release = release(jdk);
    }

    private static Path existing(Path folder, String file) throws IOException {
        if (!Files.exists(folder.resolve(file))) {
            throw new IOException(folder + " has no " + file);
        }
        return folder.toRealPath();
    }

    /** {@return the feature release of a JDK} */
    static String release(Path jdk) throws IOException {
        return Files.readString(jdk.resolve("release")).replaceFirst("(?s).*JAVA_VERSION=\"(\\d+).*", "$1");
    }

    /** {@return the words that run jtreg on this JDK, up to the options of a run} */
    static List<String> jtreg(Path jdk) {
        String concurrency = System.getenv().getOrDefault("JTREG_CONCURRENCY",
                Integer.toString(Runtime.getRuntime().availableProcessors()));
        return List.of(jdk.resolve("bin/java").toString(), "-Xmx512m", "-jar", JTREG + "/lib/jtreg.jar", "-jdk:" + jdk,
                "-agentvm", "-automatic", "-ignore:quiet", "-verbose:summary", "-retain:fail,error",
                "-concurrency:" + concurrency);
    }

    public static void main(String[] arguments) throws InterruptedException {
        List<String> all = List.of(arguments);
        try {
            if (all.size() < 2) {
                throw new IOException("a source tree and a JDK are needed");
            }
            OpenJdk program = new OpenJdk(Path.of(all.get(0)), Path.of(all.get(1)));
            List<String> providers = all.size() < 3 ? List.of("dev.pollux.PolluxSelectorProvider")
                    : List.of(all.get(2).split(","));
            System.exit(program.run(providers, all.size() < 4 ? List.of(CHANNELS) : all.subList(3, all.size())));
        } catch (IOException | UncheckedIOException e) {
            System.err.println("OpenJdk: " + e.getMessage());
            System.exit(2);
        }
    }

    private int run(List<String> providers, List<String> named) throws IOException, InterruptedException {
        List<String> tests = new ArrayList<>();
        for (String test : named) {
            tests.addAll(expand(test));
        }
        String wanted = sources + "\n" + Files.readString(jdk.resolve("release")) + String.join("\n", tests);
        buildNative();
        Path agent = buildAgent();
        JtregRun base = run("default", tests, wanted, List.of("-agentpath:" + agent + "="
                + out.resolve("default/opened.log")));
        List<String> more = Stream.of(System.getenv().getOrDefault("OPTIONS", "").split(" "))
                .filter(option -> !option.isEmpty()).toList();
        boolean isProved = true;
        boolean isFine = true;
        for (String provider : providers) {
            Command.of("rm", "-f", out.resolve(provider).resolve("complete")).output(); // only the default's is kept
            List<String> options = new ArrayList<>(List.of("-agentpath:" + agent + "="
                    + out.resolve(provider).resolve("opened.log") + "," + jar,
                    "-Djava.nio.channels.spi.SelectorProvider=" + provider));
            options.addAll(more);
            JtregRun run = run(provider, tests, wanted, options);
            isFine &= compare(base, run);
            if (!run.provesMoreThan(base)) {
                System.out.println("NOTHING PROVED: no selector of " + provider + " was opened");
                isProved = false;
            }
        }
        return isProved ? isFine ? 0 : 1 : 2;
    }

    /** The tests that one word of the command line names; "core" stands for a list. */
    private List<String> expand(String word) throws IOException {
        Path root = sources.resolve("test/jdk");
        List<String> tests;
        if (word.equals("core")) {
            try (Stream<Path> all = Files.list(root.resolve(CHANNELS))) {
                tests = all.filter(path -> Files.isDirectory(path)
                                ? !path.getFileName().toString().matches("(File|Asynchronous)[A-Za-z]*")
                                : path.toString().endsWith(".java"))
                        .map(path -> root.relativize(path).toString()).sorted().toList();
            }
        } else {
            tests = List.of(word);
        }
        List<String> real = new ArrayList<>();
        for (String test : tests) {
            Path file = root.resolve(test.replaceFirst("#.*", ""));
            if (!Files.exists(file)) {
                throw new IOException("no such test: " + file);
            }
            // A .java file that is no test of its own (a helper) would stop jtreg.
            if (Files.isDirectory(file) || !test.endsWith(".java") || Files.readString(file).contains("@test")) {
                real.add(test);
            }
        }
        if (real.isEmpty()) {
            throw new IOException("no tests");
        }
        return real;
    }

    /** A few tests load a library of their own: each is one C file. */
    private void buildNative() throws IOException, InterruptedException {
        Path folder = Files.createDirectories(out.resolve("native"));
        for (String source : Command.of("find", sources.resolve("test/jdk").resolve(CHANNELS),
                sources.resolve("test/lib"), "-name", "lib*.c").output().split("\n")) {
            if (!source.isEmpty()) {
                String name = Path.of(source).getFileName().toString().replaceFirst("\\.c$", ".so");
                Command.Result result = gcc("-w", "-D_GNU_SOURCE", "-I" + sources.resolve("test/lib/native"), "-o",
                        folder.resolve(name), source).result();
                if (result.status() != 0) {
                    System.err.println("note: " + source + " does not compile:\n" + result.output());
                }
            }
        }
    }

    private Path buildAgent() throws IOException, InterruptedException {
        Path agent = out.resolve("opened.so");
        boolean isVirtual = Files.readString(jdk.resolve("include/jvmti.h")).contains("can_support_virtual_threads");
        gcc("-std=c11", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-O1",
                isVirtual ? "-DVIRTUAL_THREADS" : "-DPLATFORM_THREADS", "-o", agent, HERE.resolve("opened.c")).output();
        return agent;
    }

    private Command gcc(Object... arguments) {
        return Command.of("gcc", "-shared", "-fPIC", "-I" + jdk.resolve("include"),
                "-I" + jdk.resolve("include/linux"), List.of(arguments));
    }

    /** @param options of the test VMs */
    private JtregRun run(String name, List<String> tests, String wanted, List<String> options)
            throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(jtreg(jdk));
        command.addAll(List.of("-k:!headful", "-timeoutFactor:4", "-nativepath:" + out.resolve("native"),
                "-dir:" + sources.resolve("test/jdk")));
        return JtregRun.of(name, out.resolve(name), command,
                options.stream().map(option -> "-javaoption:" + option).toList(), tests, wanted);
    }

    /** Prints how a run differs from that with the default provider; true if that is no regression. */
    private boolean compare(JtregRun base, JtregRun run) throws IOException {
        Set<String> excused = excused();
        Set<String> onlyBase = common(base.tests(true), run.tests(false));
        Set<String> regressions = new TreeSet<>(onlyBase);
        regressions.removeAll(excused);
        System.out.println("\n== " + run.name() + " against the JDK's default, JDK " + release);
        for (JtregRun each : List.of(base, run)) {
            System.out.printf("%5d passed %5d failed  %s%n", each.tests(true).size(), each.tests(false).size(),
                    each.name());
        }
        list("Pass with the default and not with " + run.name(), regressions);
        list("Pass with " + run.name() + " and not with the default", common(base.tests(false), run.tests(true)));
        list("Excused by ProblemList.txt", common(onlyBase, excused));
        list("In ProblemList.txt and passing (remove them)", common(excused, run.tests(true)));
        System.out.println(base.described() + "\n" + run.described());
        return regressions.isEmpty();
    }

    private static Set<String> common(Set<String> some, Set<String> others) {
        Set<String> common = new TreeSet<>(some);
        common.retainAll(others);
        return common;
    }

    private static void list(String title, Set<String> tests) {
        System.out.println(title + ":" + (tests.isEmpty() ? " none" : "\n    " + String.join("\n    ", tests)));
    }

    /** The tests that ProblemList.txt excuses on this release. */
    private Set<String> excused() throws IOException {
        Set<String> excused = new TreeSet<>();
        for (String line : Files.readAllLines(HERE.resolveSibling("ProblemList.txt"))) {
            String[] words = line.replaceFirst("#.*", "").strip().split("\\s+");
            if (words.length > 1 && List.of(words[1].split(",")).stream().anyMatch(Set.of(release, "all")::contains)) {
                excused.add(words[0]);
            }
        }
        return excused;
    }
}
