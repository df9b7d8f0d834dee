// SPDX-License-Identifier: Apache-2.0
package dev.pollux.loading;

import dev.pollux.lab.Home;
import dev.pollux.loading.program.OsgiFramework;
import dev.pollux.loading.program.PollingBundle;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.osgi.framework.launch.FrameworkFactory;

/** Pollux in an OSGi framework, Apache Felix: as a bundle, and on the class path of the framework. */
class OsgiIT {
    private static final String JDKS = "dev.pollux.loading.Jdk#all";
    private static final String DELEGATION = "org.osgi.framework.bootdelegation=sun.nio.ch";
    private static final String POLLUX = "dev.pollux.internal.selector.";

    @TempDir
    private static Path folder;

    private static Path application;

    @TempDir
    private Path cache;

    @BeforeAll
    static void make() throws IOException {
        application = PolluxJar.programJar(folder, PollingBundle.class, Map.of(
                "Bundle-ManifestVersion", "2", "Bundle-SymbolicName", "application",
                "Bundle-Activator", PollingBundle.class.getName(), "Import-Package", "dev.pollux,org.osgi.framework"));
    }

    @ParameterizedTest
    @MethodSource(JDKS)
    void anotherBundleUsesItIfTheFrameworkPassesOnThePackageOfTheJdk(Jdk jdk) throws Exception {
        framework(jdk).run(OsgiFramework.class, cache.toString(), DELEGATION, PolluxJar.path().toString(),
                application.toString()).succeeds().says("started dev.pollux ", "polled 1",
                "own " + POLLUX + "PolluxSelector selected 1", "default sun.nio.ch.", "started application");
    }

    @ParameterizedTest
    @MethodSource(JDKS)
    void aFrameworkThatHidesThePackageIsToldWhatToSet(Jdk jdk) throws Exception {
        framework(jdk).run(OsgiFramework.class, cache.toString(), PolluxJar.path().toString(), application.toString())
                .fails().says("started dev.pollux ", "the class loader of Pollux does not find the package sun.nio.ch",
                        "org.osgi.framework.bootdelegation");
    }

    /** A framework may also list the packages of the JDK that bundles can import. */
    @ParameterizedTest
    @MethodSource(JDKS)
    void aFrameworkThatExportsNoFurtherPackageIsEnough(Jdk jdk) throws Exception {
        framework(jdk).run(OsgiFramework.class, cache.toString(), DELEGATION,
                "org.osgi.framework.system.packages=org.osgi.framework,javax.net.ssl", PolluxJar.path().toString(),
                application.toString()).succeeds().says("polled 1", "started application");
    }

    @ParameterizedTest
    @MethodSource(JDKS)
    void aFrameworkMayExportThePackageOfTheJdkInstead(Jdk jdk) throws Exception {
        framework(jdk).run(OsgiFramework.class, cache.toString(),
                "org.osgi.framework.system.packages.extra=sun.nio.ch", PolluxJar.path().toString(),
                application.toString()).succeeds().says("polled 1", "started application");
    }

    /** The JDK looks for the provider on the class path, not in bundles. */
    @ParameterizedTest
    @MethodSource(JDKS)
    void onTheClassPathOfTheFrameworkThePropertySwitchesAllBundlesOn(Jdk jdk) throws Exception {
        framework(jdk, PolluxJar.path()).provider("PolluxSelectorProvider").run(OsgiFramework.class, cache.toString(),
                "org.osgi.framework.system.packages.extra=dev.pollux", application.toString()).succeeds()
                .says("polled 1", "default " + POLLUX, "started application");
    }

    private static Vm framework(Jdk jdk, Path... more) {
        Path[] path = new Path[more.length + 2];
        path[0] = PolluxJar.programs();
        path[1] = Home.of(FrameworkFactory.class);
        System.arraycopy(more, 0, path, 2, more.length);
        return Vm.on(jdk).classPath(path);
    }
}
