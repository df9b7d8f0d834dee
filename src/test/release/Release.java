// SPDX-License-Identifier: Apache-2.0
import java.io.IOException;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Makes a release as RELEASING.md says, in a copy of the sources at another path and in other surroundings, signed with
 * a key that is thrown away. Looks at what Maven Central would look at, compares the jars with those of target, and
 * uses the release from Maven and from Gradle, both with an empty local repository.
 *
 * <p>Argument: {@code --all-platforms} for the release itself. Without it the jar has the library of this machine
 * alone, which is faster. Gradle is left out where there is none.
 */
public final class Release {
    private static final String ARTIFACTS = ".,..,../server,../tools,../micrometer";
    private static final List<String> NAMES = List.of("pollux", "pollux-server", "pollux-tools", "pollux-micrometer");

    /** What Maven Central wants to see in the POM or its parent's. */
    private static final List<String> ELEMENTS =
            List.of("name", "description", "url", "licenses", "developers", "scm", "issueManagement");
    private static final String USES_NOTHING = """
            import json, sys
            bom = json.load(open(sys.argv[1]))
            main = bom["metadata"]["component"]
            assert (main["group"], main["name"]) == ("dev.pollux", "pollux") and not bom.get("components"), bom
            """;

    private final Checks checks = new Checks();
    private final String goal;
    private final Path root = Path.of("").toAbsolutePath();
    private final Path work;
    private final Path copy;
    private final Path keys;
    private String version;

    private Release(String goal, Path work) throws IOException {
        this.goal = goal;
        this.work = work;
        copy = Files.createDirectory(work.resolve("sources"));
        keys = work.resolve("keys");
    }

    public static void main(String[] arguments) throws IOException, InterruptedException {
        String goal = List.of(arguments).contains("--all-platforms") ? "all-platforms" : "all";
        Path work = Files.createTempDirectory("pollux release."); // a blank belongs to what must not matter
        Release release = new Release(goal, work);
        try {
            release.run();
        } finally {
            release.gpg("gpgconf", "--kill", "all").result();
            Command.of("rm", "-rf", work).result();
        }
        release.checks.finish();
    }

    private void run() throws IOException, InterruptedException {
        copySources();
        if (!goal.equals("all")) {
            maven(root, "package").output(); // with what it is compared
        }
        version = Build.version();
        checks.check("mvn -f build/pom.xml -Prelease verify", this::release);
        checks.check("all that Maven Central asks for is there", this::expectAll);
        checks.check("all of it is signed", this::expectSignatures);
        checks.check("all of it has checksums", this::expectSums);
        checks.check("the POM and the bill of materials say what it is", this::expectDescription);
        checks.check("other surroundings give the same bytes", this::expectSameBytes);
        checks.check("Maven uses it", () -> use("maven", "env", "MAVEN_OPTS=", "mvn", "-q", "-B", "-ntp",
                "-Dmaven.repo.local=" + work.resolve("empty"), "-Dstaging=" + repository(),
                "-Dpollux.version=" + version, "compile", "exec:exec"));
        if (Command.isThere("gradle")) {
            checks.check("Gradle uses it", () -> use("gradle", "gradle", "--no-daemon", "-q", "-g",
                    work.resolve("gradle-home"), "-Pstaging=" + repository(), "-Pversion=" + version, "execute"));
        } else {
            checks.skip("there is no Gradle here");
        }
    }

    private void copySources() throws IOException, InterruptedException {
        Command.of("cp", "-r", "pom.xml", "build", "LICENSE", "NOTICE", "src", copy).output();
        for (String module : List.of("server", "tools", "micrometer", "micro", "stress")) {
            Path folder = Files.createDirectory(copy.resolve(module));
            Command.of("cp", "-r", module + "/pom.xml", module + "/src", folder).output();
        }
        // The reactor reads them.
        Command.of("sh", "-c", "cp --parents compatibility/pom.xml compatibility/*/pom.xml \"$1\"", "-", copy).output();
    }

    /** One at a time: Maven's repository is not made for two that fill it. */
    private Command maven(Path folder, Object... goals) {
        Command maven = gpg("sh", "-c", "umask 002 && exec flock \"$@\"", "-", root.resolve("target/maven.lock"), "mvn",
                "-q", "-B", "-ntp", "-f", "build/pom.xml", "-pl", ARTIFACTS, "-DskipTests", "-Dnative.goal=" + goal,
                List.of(goals));
        maven.builder.directory(folder.toFile());
        return maven;
    }

    /** With the keys that are thrown away. */
    private Command gpg(Object... words) {
        return Command.of(words).with("GNUPGHOME", keys);
    }

    /** Another path, mask, time zone, language and user: none may change a byte. (A mask that forbids to read does.) */
    private void release() throws IOException, InterruptedException {
        Command.of("mkdir", "-m", "700", keys).output();
        gpg("gpg", "--batch", "--quiet", "--passphrase", "", "--quick-gen-key", "Thrown away <key@localhost>",
                "rsa2048", "sign", "1d").output();
        maven(copy, "-Prelease", "-Duser.name=another", "-Dgpg.keyname=key@localhost", "verify")
                .with("TZ", "Asia/Kathmandu").with("LC_ALL", "C.UTF-8").with("LANG", "tr_TR.UTF-8").output();
    }

    private Path staged(String artifact, String suffix) {
        return copy.resolve("target/staging/dev/pollux").resolve(artifact).resolve(version)
                .resolve(artifact + '-' + version + suffix);
    }

    private String repository() {
        return "file://" + copy.toString().replace(" ", "%20") + "/target/staging";
    }

    private List<Path> staged() throws IOException {
        try (Stream<Path> files = Files.walk(copy.resolve("target/staging"))) {
            return files.filter(file -> file.toString().matches(".*" + Pattern.quote(version)
                    + "[^/]*\\.(pom|jar|json|xml)")).toList();
        }
    }

    private void expectAll() throws IOException {
        expectContent(staged("pollux-parent", ".pom"));
        for (String artifact : NAMES) {
            for (String suffix : List.of(".pom", ".jar", "-sources.jar", "-javadoc.jar", "-cyclonedx.json")) {
                expectContent(staged(artifact, suffix));
            }
        }
    }

    private static void expectContent(Path file) throws IOException {
        Checks.expect(Files.exists(file) && Files.size(file) > 0, file + " is missing");
    }

    private void expectSignatures() throws IOException, InterruptedException {
        for (Path file : staged()) {
            gpg("gpg", "--batch", "--verify", file + ".asc", file).output();
        }
    }

    private void expectSums() throws IOException, NoSuchAlgorithmException {
        for (Path file : staged()) {
            for (String algorithm : List.of("md5", "sha1")) {
                byte[] sum = MessageDigest.getInstance(algorithm).digest(Files.readAllBytes(file));
                Checks.expectEqual(String.format("%0" + 2 * sum.length + "x", new BigInteger(1, sum)),
                        Files.readString(Path.of(file + "." + algorithm)));
            }
        }
    }

    /** Those who use the selector depend on nothing else. */
    private void expectDescription() throws IOException, InterruptedException {
        String parent = Files.readString(staged("pollux-parent", ".pom"));
        for (String element : ELEMENTS) {
            Checks.expect(Pattern.compile("^  <" + element + "[ >]", Pattern.MULTILINE).matcher(parent).find(),
                    "no " + element);
        }
        Command.of("python3", "-c", USES_NOTHING, staged("pollux", "-cyclonedx.json")).output();
    }

    private void expectSameBytes() throws IOException {
        for (String module : List.of("", "server", "tools")) {
            String artifact = module.isEmpty() ? "pollux" : "pollux-" + module;
            for (String kind : List.of(".jar", "-sources.jar", "-javadoc.jar")) {
                Path own = Path.of(module, "target", artifact + '-' + version + kind);
                long difference = Files.mismatch(own, staged(artifact, kind));
                Checks.expect(difference < 0, own + " differs at " + difference);
            }
        }
    }

    private void use(String name, Object... words) throws IOException, InterruptedException {
        Path folder = work.resolve(name);
        Command.of("cp", "-r", "src/test/release/consumer", folder).output();
        Command command = Command.of(words);
        command.builder.directory(folder.toFile());
        String output = command.output();
        for (String what : List.of(" by dev.pollux.internal.selector.PolluxSelector", " by the Poller",
                " by the StreamServer")) {
            Checks.expect(Pattern.compile("1" + what + "$", Pattern.MULTILINE).matcher(output).find(), output);
        }
    }
}
