// SPDX-License-Identifier: Apache-2.0
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Tries the recipes of docs/containers.md without a container engine: takes the commands and options from that page,
 * and runs them in a namespace with a root of its own, read-only, as a user without capabilities, under a filter of
 * system calls. Needs Linux, root, and what the build leaves; else it is skipped.
 */
public final class Containers {
    /** What the application says when it has served its request. */
    private static final String ON_POLLUX = "^selector dev\\.pollux\\..*\\[epoll,";
    private static final String AGENT = "-javaagent:/opt/pollux/pollux.jar";

    private final Checks checks;
    private final String jdk;
    private final Container container;

    private Containers(Checks checks, String jdk, Container container) {
        this.checks = checks;
        this.jdk = jdk;
        this.container = container;
    }

    /** Without an argument it starts itself in a namespace; the argument is an empty folder. */
    public static void main(String[] arguments) throws IOException, InterruptedException {
        if (arguments.length > 0) {
            tryAll(Path.of(arguments[0]));
            return;
        }
        Path folder = Files.createTempDirectory("pollux-containers");
        int status = -1;
        try {
            if (mayMakeNamespaces(folder)) {
                status = Command.of("unshare", "--mount", "--propagation", "private",
                        System.getProperty("java.home") + "/bin/java", "-cp", System.getProperty("java.class.path"),
                        "Containers", folder).shown("").status();
            }
        } finally {
            Command.of("rm", "-rf", folder).output();
        }
        if (status < 0) {
            skipAll("this user or sandbox may not make namespaces, or not mount, or not change the user");
        }
        System.exit(status);
    }

    private static boolean mayMakeNamespaces(Path folder) throws IOException, InterruptedException {
        return Command.isThere("unshare") && Command.of("unshare", "--mount", "--pid", "--fork", "sh", "-c",
                "mount -t proc proc /proc && mount -t tmpfs tmpfs \"$1\" && chroot / setpriv --reuid 10001"
                + " --clear-groups --no-new-privs true", "-", folder).result().status() == 0;
    }

    private static void skipAll(String why) {
        Checks checks = new Checks();
        checks.skip(why);
        checks.finish();
    }

    private static void tryAll(Path folder) throws IOException, InterruptedException {
        Path image = Image.in(folder);
        Container plain = new Container(image, Path.of(System.getProperty("java.home")));
        if (plain.command("ro", "noexec", "ro", 10001, "/filter/filter", "deny", "--", "true").result().status() != 0) {
            skipAll("filters of system calls are refused here");
        }
        Checks checks = new Checks();
        new Containers(checks, "", plain).tryTheContainer();
        for (String version : List.of("17", "25")) {
            Path java = Build.installed(version);
            if (java != null && java.startsWith("/usr")) {
                Path home = java.getParent().getParent();
                Containers all = new Containers(checks, "JDK " + version + ": ", new Container(image, home));
                all.tryDocker();
                all.tryVolume();
                all.trySystemd();
            } else {
                checks.skip("no JDK " + version + " below /usr, which is all that the image has");
            }
        }
        checks.finish();
    }

    private void says(String sentence, String pattern, Command command) {
        checks.check(jdk + sentence, () -> expectMatch(pattern, command.output()));
    }

    private void refuses(String sentence, String words, Command command) {
        checks.check(jdk + sentence, () -> command.refuses(words));
    }

    private static void expectMatch(String pattern, String output) {
        Checks.expect(Pattern.compile(pattern, Pattern.MULTILINE).matcher(output).find(), output);
    }

    /** {@return what the page's examples in a language have for the group of this pattern} */
    private static String recipe(String language, String pattern) throws IOException {
        Matcher found = Pattern.compile(pattern, Pattern.MULTILINE).matcher(recipe(language));
        Checks.expect(found.find(), "docs/containers.md has no " + pattern);
        return found.group(1);
    }

    private static String recipe(String language) throws IOException {
        return Pattern.compile("(?sm)^```" + language + "\n(.*?)^```$")
                .matcher(Files.readString(Path.of("docs/containers.md"))).results().map(part -> part.group(1))
                .collect(Collectors.joining());
    }

    /** Deletes the libraries in a folder of the image. */
    private void empty(String folder) throws IOException {
        try (Stream<Path> files = Files.list(container.image().resolve(folder))) {
            for (Path library : files.filter(file -> file.toString().endsWith(".so")).toList()) {
                Files.delete(library);
            }
        }
    }

    /** The control group: none of the recipes would prove anything in a container that forbids nothing. */
    private void tryTheContainer() {
        says("the user has no capability, and can get none", "^2$",
                container.hardened("grep", "-cE", "^Cap(Eff|Bnd):[[:blank:]]*0{16}$", "/proc/self/status"));
        says("and a filter of system calls", "^Seccomp:\\s*2$", container.hardened("cat", "/proc/self/status"));
        refuses("which forbids namespaces", "Operation not permitted", container.hardened("unshare", "--user", "true"));
        refuses("the root is read-only", "Read-only file system", container.hardened("touch", "/app/file"));
        refuses("/tmp permits no execution", "Permission denied",
                container.hardened("sh", "-c", "cp /bin/true /tmp/true && /tmp/true"));
    }

    private void tryDocker() throws IOException {
        String extract = recipe("dockerfile", "^RUN (java .*)");
        String options = "JAVA_TOOL_OPTIONS=" + recipe("dockerfile", "^ENV JAVA_TOOL_OPTIONS=\"(.*)\"$");
        empty("opt/pollux");
        refuses("without the library, Pollux says what to do", "extract DIR",
                container.hardened("java", AGENT, "-jar", "/app/app.jar"));
        refuses("also where nothing is writable", "did not take the library",
                container.command("ro", "none", "ro", 10001, "java", AGENT, "-jar", "/app/app.jar"));
        says("a writable folder will do", ON_POLLUX,
                container.command("ro", "exec", "ro", 10001, "java", AGENT, "-jar", "/app/app.jar"));
        says("dev.pollux.tmpdir names another one", ON_POLLUX, container.command("ro", "noexec", "rw", 10001,
                "java", "-Ddev.pollux.tmpdir=/pollux", AGENT, "-jar", "/app/app.jar"));
        says("Dockerfile: the library is extracted", "wrote /opt/pollux/",
                container.command("rw", "rw", "rw", 0, "sh", "-c", extract));
        says("Dockerfile and securityContext: a server runs on Pollux", ON_POLLUX,
                container.hardened("env", options, "java", "-jar", "/app/app.jar"));
        says("it does so where nothing is writable", ON_POLLUX,
                container.command("ro", "none", "ro", 10001, "env", options, "java", "-jar", "/app/app.jar"));
        says("a StreamServer runs on epoll, and says why", " on epoll: .*no io_uring",
                container.hardened("java", "-Ddev.pollux.library.path=/opt/pollux", "-cp",
                        "/app/app.jar:/opt/pollux/*", "Interrupts"));
        says("check has nothing to complain of", " 0 failed,",
                container.hardened("env", options, "java", "-jar", "/opt/pollux/pollux-tools.jar", "check"));
    }

    private void tryVolume() throws IOException {
        String options = "JAVA_TOOL_OPTIONS=" + recipe("yaml", "^ *value: \"(.*)\"$");
        empty("pollux");
        says("the init container fills the volume", "wrote /pollux/", container.filtered("ro", "rw", 10001,
                "sh", "-c", recipe("yaml", "^ *command: \\[\"sh\", \"-c\", \"(.*)\"\\]$")));
        says("the application of another user runs with it", ON_POLLUX,
                container.filtered("ro", "ro", 10002, "env", options, "java", "-jar", "/app/app.jar"));
        says("and the JVM warns of nothing", "^0$", container.hardened("env", options, "sh", "-c",
                "java -jar /app/app.jar 2>&1 | grep -c WARNING || true"));
    }

    private void trySystemd() throws IOException, InterruptedException {
        if (!Command.isThere("systemd-analyze")) {
            checks.skip("no systemd-analyze, which knows what the unit's system calls are");
            return;
        }
        Path unit = container.image().resolveSibling("app.service");
        Files.writeString(unit, recipe("ini"));
        says("systemd finds nothing wrong with the unit", "\\A\\z",
                Command.of("systemd-analyze", "verify", "--man=no", unit).with("LC_ALL", "C"));
        List<String> calls = new ArrayList<>(callsOf("@default"));
        calls.addAll(callsOf(recipe("ini", "^SystemCallFilter=(.*)")));
        Command server = container.command("ro,noexec", "noexec", "ro", 10001, "/filter/filter", "allow", calls, "--",
                "env", "JAVA_TOOL_OPTIONS=" + recipe("ini", "^Environment=\"JAVA_TOOL_OPTIONS=(.*)\"$"),
                "java", "-jar", "/opt/app/app.jar");
        refuses("a library outside of ExecPaths is refused, with the reason", "noexec", server);
        List<String> paths = List.of(recipe("ini", "^ExecPaths=(.*)").split(" "));
        for (String path : paths) {
            Command.of("mount", "--bind", container.image() + path, container.image() + path).output();
        }
        says("ExecPaths, SystemCallFilter and the rest of the unit: a server runs", ON_POLLUX, server);
        for (String path : paths) {
            Command.of("umount", container.image() + path).output();
        }
    }

    /** {@return the system calls that systemd means by a group's name} */
    private static List<String> callsOf(String group) throws IOException, InterruptedException {
        List<String> calls = new ArrayList<>();
        for (String line : Command.of("systemd-analyze", "--no-pager", "syscall-filter", group).output()
                .lines().skip(1).toList()) {
            String name = line.replaceFirst("#.*", "").strip();
            if (name.startsWith("@")) {
                calls.addAll(callsOf(name));
            } else if (!name.isEmpty()) {
                calls.add(name);
            }
        }
        return calls;
    }
}
