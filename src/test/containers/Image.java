// SPDX-License-Identifier: Apache-2.0
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * A small Debian in a folder: this machine's programs, and the files of the recipes. All that is mounted goes with the
 * namespace in which it is made.
 */
final class Image {
    private static final Pattern CALL = Pattern.compile("^#define SYS_(\\w+) .*", Pattern.MULTILINE);

    private final Path folder;
    private final Path root;

    private Image(Path folder) {
        this.folder = folder;
        root = folder.resolve("image");
    }

    /** {@return its root, a folder in this one, which is empty} */
    static Path in(Path folder) throws IOException, InterruptedException {
        Image image = new Image(folder);
        image.mountRoot();
        image.addArtifacts();
        image.addFilter();
        return image.root;
    }

    private void mountRoot() throws IOException, InterruptedException {
        Files.createDirectory(root);
        mount("-t", "tmpfs", "-o", "mode=755", "tmpfs", root);
        for (String name : List.of("usr", "etc", "proc", "dev", "tmp", "filter", "pollux", "app", "opt/app",
                "opt/pollux")) {
            Files.createDirectories(root.resolve(name));
        }
        Command.of("chmod", "1777", root.resolve("tmp")).output();
        for (String name : List.of("bin", "lib", "lib64", "sbin")) {
            if (Files.exists(Path.of("/", name))) {
                Files.createSymbolicLink(root.resolve(name), Path.of("usr", name));
            }
        }
        for (String name : List.of("usr", "etc")) {
            mount("--bind", "-o", "ro", Path.of("/", name), root.resolve(name));
        }
        for (String name : List.of("dev/null", "dev/zero", "dev/random", "dev/urandom")) {
            mount("--bind", Path.of("/", name), Files.createFile(root.resolve(name)));
        }
        mount("-t", "tmpfs", "-o", "mode=777", "tmpfs", root.resolve("pollux")); // what Kubernetes calls emptyDir
    }

    private void addArtifacts() throws IOException, InterruptedException {
        Path opt = root.resolve("opt/pollux");
        Files.copy(Build.jar("."), opt.resolve("pollux.jar"));
        Files.copy(Build.jar("server"), opt.resolve("pollux-server.jar"));
        Files.copy(Build.jar("tools"), opt.resolve("pollux-tools.jar"));
        String bin = System.getProperty("java.home") + "/bin/";
        Path classes = folder.resolve("application");
        Command.of("sh", "-c", "exec \"$@\" src/test/containers/application/*.java", "-", bin + "javac", "--release",
                "17", "-Xlint:all", "-Werror", "-cp", opt + "/*", "-d", classes).output();
        Path application = root.resolve("app/app.jar");
        Command.of(bin + "jar", "--create", "--file", application, "--main-class", "App", "-C", classes, ".").output();
        Files.copy(application, root.resolve("opt/app/app.jar"));
    }

    private void addFilter() throws IOException, InterruptedException {
        String names = Command.of("cc", "-E", "-dM", "-").input("#include <sys/syscall.h>\n").output();
        Files.writeString(folder.resolve("calls.h"), CALL.matcher(names).results()
                .map(call -> "CALL(" + call.group(1) + ")\n").collect(Collectors.joining()));
        Path filter = root.resolve("filter");
        Command.of("cc", "-std=c11", "-D_GNU_SOURCE", "-O2", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-I" + folder,
                "-o", filter.resolve("filter"), "src/test/containers/filter.c").output();
        // A mount of its own: it can be run even where the root permits no execution.
        mount("--bind", filter, filter);
    }

    private static void mount(Object... words) throws IOException, InterruptedException {
        Command.of("mount", List.of(words)).output();
    }
}
