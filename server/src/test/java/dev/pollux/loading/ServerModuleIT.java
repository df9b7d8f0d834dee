// SPDX-License-Identifier: Apache-2.0
package dev.pollux.loading;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.pollux.lab.Home;
import dev.pollux.loading.program.OsgiFramework;
import dev.pollux.loading.program.ServedOnce;
import dev.pollux.loading.program.ServingBundle;
import java.io.File;
import java.io.IOException;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleFinder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.osgi.framework.launch.FrameworkFactory;

/** The server's jar on the class path, as the module {@code dev.pollux.server}, in a linked runtime, as a bundle. */
class ServerModuleIT {
    private static final String JDKS = "dev.pollux.loading.Jdk#all";
    private static final String ECHO = "echoed 5";

    @TempDir
    private static Path folder;

    private static Path application;

    @TempDir
    private Path cache;

    @BeforeAll
    static void make() throws IOException {
        application = PolluxJar.programJar(folder, ServerJar.programs(), Map.of(
                "Bundle-ManifestVersion", "2", "Bundle-SymbolicName", "application",
                "Bundle-Activator", ServingBundle.class.getName(),
                "Import-Package", "dev.pollux.server,org.osgi.framework"),
                ServingBundle.class, ServedOnce.class);
    }

    @Test
    void itNeedsPolluxAloneAndExportsOnePackage() {
        ModuleDescriptor module = ModuleFinder.of(ServerJar.path()).find("dev.pollux.server").orElseThrow()
                .descriptor();
        assertEquals(Set.of("java.base", "dev.pollux"), module.requires().stream()
                .map(ModuleDescriptor.Requires::name).collect(Collectors.toSet()));
        assertEquals(Set.of("dev.pollux.server"), module.exports().stream()
                .map(ModuleDescriptor.Exports::source).collect(Collectors.toSet()));
        assertTrue(module.provides().isEmpty() && module.opens().isEmpty() && !module.isAutomatic());
    }

    @ParameterizedTest
    @MethodSource(JDKS)
    void aProgramOnTheClassPathServes(Jdk jdk) throws Exception {
        Vm.on(jdk).classPath(PolluxJar.path(), ServerJar.path(), ServerJar.programs()).run(ServedOnce.class)
                .succeeds().says(ECHO);
    }

    @ParameterizedTest
    @MethodSource(JDKS)
    void aProgramServesByTheModules(Jdk jdk) throws Exception {
        Vm.on(jdk).with("-p", modules(), "--add-modules", "dev.pollux.server",
                "--enable-native-access=dev.pollux").classPath(ServerJar.programs()).run(ServedOnce.class)
                .succeeds().says(ECHO).warnsOfNothing();
    }

    @ParameterizedTest
    @MethodSource(JDKS)
    void aProgramServesInALinkedRuntime(Jdk jdk) throws Exception {
        Path jlink = jdk.home().resolve("bin/jlink");
        assumeTrue(Files.isExecutable(jlink), jdk + " has no jlink");
        Path runtime = folder.resolve("runtime-" + jdk.feature());
        Vm.on(jlink).run("--module-path", modules(), "--add-modules", "dev.pollux.server", "--output",
                runtime.toString()).succeeds();
        Vm.on(runtime.resolve("bin/java")).with("--add-modules", "dev.pollux.server",
                "--enable-native-access=dev.pollux").classPath(ServerJar.programs()).run(ServedOnce.class)
                .succeeds().says(ECHO).warnsOfNothing();
    }

    /** The native methods are in Pollux's own bundle, which has the library. */
    @ParameterizedTest
    @MethodSource(JDKS)
    void aBundleServes(Jdk jdk) throws Exception {
        Path felix = Home.of(FrameworkFactory.class);
        Vm.on(jdk).classPath(PolluxJar.programs(), felix).run(OsgiFramework.class, cache.toString(),
                "org.osgi.framework.bootdelegation=sun.nio.ch", PolluxJar.path().toString(),
                ServerJar.path().toString(), application.toString()).succeeds()
                .says("started dev.pollux.server ", ECHO, "started application");
    }

    private static String modules() {
        return PolluxJar.path() + File.pathSeparator + ServerJar.path();
    }
}
