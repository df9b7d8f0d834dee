// SPDX-License-Identifier: Apache-2.0
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Uses selectors, Pollers and StreamServers in every way there is, side by side, for a long time. Looks whether an
 * event or a wakeup is lost, or a descriptor, a thread or memory left behind. On epoll and poll at the same time, on
 * each JDK in turn. A third virtual machine beside them has so little direct memory that a StreamServer lacks it all
 * the time.
 *
 * <p>Argument: minutes, by default 30, of which each JDK gets its part; 1 or 2 will do to try a change. Environment:
 * JDKS, by default "17 25", the second for virtual threads; MECHANISMS, by default "epoll poll".
 *
 * <p>What it prints is left in target/soak, and the stacks of all threads if something fails.
 */
public final class Soak {
    private static final Path OUT = Path.of("target/soak");

    /** Few, so that a scenario can use them up. */
    private static final int DESCRIPTORS = 6000;

    private final Path java;
    private final String name;
    private final String mechanism;
    private final String option;
    private final long seconds;
    private String output = "";

    private Soak(Path java, String name, String mechanism, String option, long seconds) {
        this.java = java;
        this.name = name;
        this.mechanism = mechanism;
        this.option = option;
        this.seconds = seconds;
    }

    public static void main(String[] arguments) throws IOException, InterruptedException {
        Command.of("rm", "-rf", OUT).output();
        Files.createDirectories(OUT);
        // One file that stays open: classes of a folder can't be loaded while there is no descriptor left.
        Command.of(System.getProperty("java.home") + "/bin/jar", "cf", OUT.resolve("tests.jar"), "-C",
                "target/test-classes", "dev", "-C", "server/target/test-classes", "dev").output();
        List<String> versions = Build.words("JDKS", "17 25");
        long seconds = 60 * Long.parseLong(arguments.length > 0 ? arguments[0] : "30") / versions.size();
        Checks checks = new Checks();
        for (String version : versions) {
            Path java = Build.java(version);
            if (java == null) {
                checks.skip("no JDK " + version);
                continue;
            }
            List<Soak> all = new ArrayList<>();
            for (String mechanism : Build.words("MECHANISMS", "epoll poll")) {
                all.add(new Soak(java, mechanism + '-' + version, mechanism, "-Dplain", seconds));
            }
            all.add(new Soak(java, "memory-" + version, "epoll", "-XX:MaxDirectMemorySize=24m", seconds));
            runTogether(all);
            all.forEach(soak -> checks.add(soak.output)); // one that crashed has no closing line, and fails
        }
        checks.finish();
    }

    private static void runTogether(List<Soak> all) throws InterruptedException {
        List<Thread> threads = new ArrayList<>();
        for (Soak soak : all) {
            Thread thread = new Thread(() -> {
                try {
                    soak.run();
                } catch (IOException | InterruptedException e) {
                    System.out.println(soak.name + ": " + e);
                }
            });
            thread.start();
            threads.add(thread);
        }
        for (Thread thread : threads) {
            thread.join();
        }
    }

    private void run() throws IOException, InterruptedException {
        String provider = mechanism.equals("epoll") ? "EPollSelectorProvider" : "PollSelectorProvider";
        // A heap that is in memory from the start, so that what the process grows by is something else.
        Command command = Command.of("sh", "-c", "ulimit -n " + DESCRIPTORS + " && exec \"$@\"", "-", java, "-Xms192m",
                "-Xmx192m", "-XX:+AlwaysPreTouch", "-XX:-MaxFDLimit", "-XX:NativeMemoryTracking=summary",
                "-Djava.nio.channels.spi.SelectorProvider=dev.pollux." + provider, "--add-exports",
                "java.base/sun.nio.ch=ALL-UNNAMED", "--enable-native-access=ALL-UNNAMED", option, "-cp", classPath(),
                "dev.pollux.soak.Main", mechanism, seconds, OUT.resolve(name + ".stacks"));
        output = command.shown(name + ": ").output();
        Files.writeString(OUT.resolve(name + ".log"), output);
    }

    private static String classPath() throws IOException {
        return Build.jar(".") + ":" + Build.jar("server") + ":" + OUT.resolve("tests.jar") + ":"
                + Files.readString(Path.of("server/target/test-classpath"));
    }
}
