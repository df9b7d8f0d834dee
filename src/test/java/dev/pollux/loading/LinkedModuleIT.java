// SPDX-License-Identifier: Apache-2.0
package dev.pollux.loading;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.pollux.loading.program.BusyServer;
import dev.pollux.loading.program.Probe;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The module linked into a runtime by jlink, with an application that does not know it, and packed by jpackage. Each
 * JDK at hand does so with its own tools.
 */
class LinkedModuleIT {
    private static final String JDKS = "dev.pollux.loading.Jdk#all";

    /** What the runtime starts every program with. The property comes first: JDK 17's jlink takes two dashes amiss. */
    private static final String OPTIONS =
            "-Djava.nio.channels.spi.SelectorProvider=dev.pollux.PolluxSelectorProvider --add-modules=dev.pollux"
            + " --enable-native-access=dev.pollux";

    @TempDir
    private static Path folder;

    private static final Map<Jdk, Path> RUNTIMES = new ConcurrentHashMap<>();

    private static Application application;

    @BeforeAll
    static void compile() throws IOException {
        application = Application.unaware(folder.resolve("application"));
    }

    @ParameterizedTest
    @MethodSource(JDKS)
    void theRuntimeHasNoModuleBesides(Jdk jdk) throws Exception {
        String modules = Vm.on(java(jdk)).run("--list-modules").succeeds().out();
        assertEquals(List.of("application", "dev.pollux", "java.base"),
                modules.lines().map(line -> line.replaceFirst("@.*", "")).sorted().collect(Collectors.toList()));
    }

    @ParameterizedTest
    @MethodSource(JDKS)
    void theDiagnosisFindsTheLibraryInTheRuntime(Jdk jdk) throws Exception {
        Vm.on(java(jdk)).run("-m", "dev.pollux").succeeds().says("jrt:/dev.pollux/META-INF/native/").warnsOfNothing();
    }

    @ParameterizedTest
    @MethodSource(JDKS)
    void itsLauncherRunsTheApplicationOnPollux(Jdk jdk) throws Exception {
        Vm.on(linked(jdk).resolve("bin/probe")).run().succeeds()
                .says("provider dev.pollux.PolluxSelectorProvider", "selected 1").warnsOfNothing();
    }

    @ParameterizedTest
    @MethodSource(JDKS)
    void aServerRunsOnPollux(Jdk jdk) throws Exception {
        try (Server server = Server.started(java(jdk), "-m", Application.main(BusyServer.class))) {
            assertTrue(server.isOnPollux());
            assertEquals("", server.errors());
        }
    }

    @ParameterizedTest
    @MethodSource(JDKS)
    void anApplicationOnTheClassPathGetsItByTheProperty(Jdk jdk) throws Exception {
        Vm.on(java(jdk)).classPath(PolluxJar.programs()).run(Probe.class).succeeds()
                .says("provider dev.pollux.PolluxSelectorProvider", "selected 1").warnsOfNothing();
    }

    @ParameterizedTest
    @MethodSource(JDKS)
    void jpackageMakesAnApplicationThatRunsOnPollux(Jdk jdk) throws Exception {
        Path jpackage = tool(jdk, "jpackage");
        Path packages = folder.resolve("packages-" + jdk.feature());
        Vm.on(jpackage).run("--type", "app-image", "--name", "probe", "--runtime-image", linked(jdk).toString(),
                "--module", Application.main(Probe.class), "--dest", packages.toString()).succeeds();
        Vm.on(packages.resolve("probe/bin/probe")).run().succeeds()
                .says("provider dev.pollux.PolluxSelectorProvider", "selected 1").warnsOfNothing();
    }

    private static Path java(Jdk jdk) {
        return linked(jdk).resolve("bin/java");
    }

    private static Path linked(Jdk jdk) {
        Path jlink = tool(jdk, "jlink");
        return RUNTIMES.computeIfAbsent(jdk, each -> link(each, jlink));
    }

    /** A runtime that has Pollux switched on for every program. No blank in its path: jlink's launchers know none. */
    private static Path link(Jdk jdk, Path jlink) {
        Path runtime = folder.resolve("runtime-" + jdk.feature());
        try {
            Vm.on(jlink).run("--module-path", PolluxJar.path() + File.pathSeparator + application.folder(),
                    "--add-modules", "dev.pollux,application", "--add-options", OPTIONS,
                    "--launcher", "probe=" + Application.main(Probe.class), "--output", runtime.toString())
                    .succeeds();
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
        return runtime;
    }

    private static Path tool(Jdk jdk, String name) {
        Path tool = jdk.home().resolve("bin").resolve(name);
        assumeTrue(Files.isExecutable(tool), jdk + " has no " + name);
        return tool;
    }
}
