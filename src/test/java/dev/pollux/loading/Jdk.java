// SPDX-License-Identifier: Apache-2.0
package dev.pollux.loading;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.stream.Stream;

/**
 * A JDK that child VMs run on. The system property {@code pollux.test.jdks} lists them (separated as a class path is);
 * without it they are the running one and those from 17 on that the system keeps under {@code /usr/lib/jvm}.
 *
 * @param home    its folder
 * @param feature 17, 25, ...
 */
record Jdk(Path home, int feature) {

    private static final String LIST = "pollux.test.jdks";
    private static final Path SYSTEM = Path.of("/usr/lib/jvm");

    static Jdk running() {
        return new Jdk(Path.of(System.getProperty("java.home")), Runtime.version().feature());
    }

    static List<Jdk> all() {
        List<Jdk> jdks = new ArrayList<>(List.of(running()));
        for (Path home : homes()) {
            int feature = feature(home);
            if (feature >= 17 && jdks.stream().noneMatch(jdk -> jdk.feature == feature)) {
                jdks.add(new Jdk(home, feature));
            }
        }
        return jdks;
    }

    /** JDKs that can be told to refuse native code (JEP 472); without one the test is skipped, not lost. */
    static List<Jdk> allThatDenyNativeAccess() {
        return allFrom(24);
    }

    /** JDKs that can be told to keep final fields final (JEP 500); without one the test is skipped, not lost. */
    static List<Jdk> allThatProtectFinalFields() {
        return allFrom(26);
    }

    /** JDKs that have virtual threads (JEP 444); without one the test is skipped, not lost. */
    static List<Jdk> allWithVirtualThreads() {
        return allFrom(21);
    }

    /** JDKs on which a virtual thread parks while it selects on epoll; without one the test is skipped, not lost. */
    static List<Jdk> allThatParkSelections() {
        return allFrom(24);
    }

    private static List<Jdk> allFrom(int feature) {
        List<Jdk> jdks = all().stream().filter(jdk -> jdk.feature >= feature).toList();
        return jdks.isEmpty() ? List.of(running()) : jdks;
    }

    /** Skips the test on a JDK that is too old for it. */
    Jdk from(int needed) {
        assumeTrue(feature >= needed, "needs JDK " + needed + "; -D" + LIST + " may name one");
        return this;
    }

    Path java() {
        return home.resolve("bin/java");
    }

    private static List<Path> homes() {
        String list = System.getProperty(LIST);
        if (list != null) {
            return Stream.of(list.split(System.getProperty("path.separator"))).map(Path::of).toList();
        }
        try (Stream<Path> found = Files.isDirectory(SYSTEM) ? Files.list(SYSTEM) : Stream.empty()) {
            return found.filter(home -> Files.isExecutable(home.resolve("bin/java"))).sorted().toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static int feature(Path home) {
        Properties release = new Properties();
        try (InputStream in = Files.newInputStream(home.resolve("release"))) {
            release.load(in);
        } catch (IOException e) {
            return 0; // no JDK
        }
        String version = release.getProperty("JAVA_VERSION", "0").replace("\"", "");
        return version.startsWith("1.") ? 8 : Integer.parseInt(version.split("[.+-]")[0]);
    }

    @Override
    public String toString() {
        return "JDK " + feature;
    }
}
