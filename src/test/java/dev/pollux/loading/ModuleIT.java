// SPDX-License-Identifier: Apache-2.0
package dev.pollux.loading;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.loading.program.ListMBeans;
import dev.pollux.loading.program.OpenPackages;
import dev.pollux.loading.program.Probe;
import dev.pollux.loading.program.RegisterMBeans;
import java.io.File;
import java.io.IOException;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleFinder;
import java.nio.file.Path;
import java.util.Set;
import java.util.jar.Attributes;
import java.util.stream.Collectors;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The jar as the module {@code dev.pollux}: what it says of itself, and on the module path of each JDK at hand. */
class ModuleIT {
    private static final String JDKS = "dev.pollux.loading.Jdk#all";
    private static final String NATIVE_ACCESS = "--enable-native-access=dev.pollux";

    @TempDir
    private static Path folder;

    private static Application unaware;
    private static Application aware;

    @BeforeAll
    static void compile() throws IOException {
        unaware = Application.unaware(folder.resolve("unaware"));
        aware = Application.aware(folder.resolve("aware"));
    }

    @Test
    void itNeedsJavaBaseAloneExportsOnePackageAndProvidesNoService() throws Exception {
        ModuleDescriptor module = ModuleFinder.of(PolluxJar.path()).find("dev.pollux").orElseThrow().descriptor();
        assertEquals("[java.base]", module.requires().stream()
                .filter(each -> !each.modifiers().contains(ModuleDescriptor.Requires.Modifier.STATIC))
                .map(ModuleDescriptor.Requires::name).collect(Collectors.toList()).toString());
        assertEquals(Set.of("dev.pollux"), module.exports().stream().filter(each -> !each.isQualified())
                .map(ModuleDescriptor.Exports::source).collect(Collectors.toSet()));
        assertEquals(Set.of("dev.pollux.server"), module.exports().stream().flatMap(each -> each.targets().stream())
                .collect(Collectors.toSet()));
        assertTrue(module.provides().isEmpty() && module.opens().isEmpty() && !module.isAutomatic());
        assertEquals("dev.pollux.Diagnosis", module.mainClass().orElseThrow());
        assertEquals(PolluxJar.manifest().getMainAttributes().getValue(Attributes.Name.IMPLEMENTATION_VERSION),
                module.rawVersion().orElseThrow());
    }

    @ParameterizedTest
    @MethodSource(JDKS)
    void theDiagnosisRunsAndTellsTheVersion(Jdk jdk) throws Exception {
        String version = PolluxJar.manifest().getMainAttributes().getValue(Attributes.Name.IMPLEMENTATION_VERSION);
        Vm.on(jdk).with("-p", PolluxJar.path().toString(), NATIVE_ACCESS, "-m", "dev.pollux").run().succeeds()
                .says(version, "opened by the native library", "our own, put in by JNI").warnsOfNothing();
    }

    @ParameterizedTest
    @MethodSource(JDKS)
    void beingOnTheModulePathSwitchesNothing(Jdk jdk) throws Exception {
        with(jdk, aware).run("-m", Application.main(Probe.class)).succeeds().says("selector sun.nio.ch.")
                .warnsOfNothing();
    }

    @ParameterizedTest
    @MethodSource(JDKS)
    void anApplicationThatDoesNotKnowItGetsItByAddModules(Jdk jdk) throws Exception {
        assertPolluxWorks(with(jdk, unaware).with("--add-modules", "dev.pollux").provider("PolluxSelectorProvider")
                .run("-m", Application.main(Probe.class)));
    }

    @ParameterizedTest
    @MethodSource(JDKS)
    void withoutAddModulesTheJdkDoesNotFindTheProvider(Jdk jdk) throws Exception {
        with(jdk, unaware).provider("PolluxSelectorProvider").run("-m", Application.main(Probe.class)).fails()
                .warns("java.util.ServiceConfigurationError").warns("ClassNotFoundException: dev.pollux.Pollux");
    }

    @ParameterizedTest
    @MethodSource(JDKS)
    void anApplicationThatRequiresItNeedsThePropertyAlone(Jdk jdk) throws Exception {
        assertPolluxWorks(with(jdk, aware).provider("PolluxSelectorProvider")
                .run("-m", Application.main(Probe.class)));
    }

    @ParameterizedTest
    @MethodSource(JDKS)
    void theAgentSwitchesTheModuleOn(Jdk jdk) throws Exception {
        assertPolluxWorks(with(jdk, aware).with("-javaagent:" + PolluxJar.path())
                .run("-m", Application.main(Probe.class)));
    }

    @ParameterizedTest
    @MethodSource(JDKS)
    void theAgentSwitchesAnApplicationOnThatHasNoSuchModule(Jdk jdk) throws Exception {
        Vm.on(jdk).with("-p", unaware.folder().toString(), "-javaagent:" + PolluxJar.path(),
                "--enable-native-access=ALL-UNNAMED").run("-m", Application.main(Probe.class)).succeeds()
                .says("selector dev.pollux.internal.selector.").warnsOfNothing();
    }

    @ParameterizedTest
    @MethodSource(JDKS)
    void nobodyElseGainsAccessToTheJdk(Jdk jdk) throws Exception {
        with(jdk, aware).provider("PolluxSelectorProvider").run("-m", Application.main(OpenPackages.class))
                .succeeds().says("before []", "added []", "Unsafe refused");
    }

    @ParameterizedTest
    @MethodSource(JDKS)
    void aPackageOpenedByFlagIsUsed(Jdk jdk) throws Exception {
        Vm.on(jdk).with("-p", PolluxJar.path().toString(), "--add-opens", "java.base/sun.nio.ch=dev.pollux", "-m",
                "dev.pollux").run().succeeds().says("opened before Pollux started");
    }

    @ParameterizedTest
    @MethodSource("dev.pollux.loading.Jdk#allThatDenyNativeAccess")
    void whereNativeCodeIsForbiddenTheFlagNamesTheModule(Jdk jdk) throws Exception {
        Vm.on(jdk.from(24)).with("-p", PolluxJar.path().toString(), "--illegal-native-access=deny", "-m", "dev.pollux")
                .run().fails().says("This VM forbids native code; allow it with " + NATIVE_ACCESS);
    }

    @ParameterizedTest
    @MethodSource(JDKS)
    void theMBeanWorks(Jdk jdk) throws Exception {
        with(jdk, aware).provider("PolluxSelectorProvider").with("-Ddev.pollux.jmx=true")
                .run("-m", Application.main(ListMBeans.class)).succeeds()
                .says("after [dev.pollux:type=Loops]", "open 1");
        with(jdk, aware).run("-m", Application.main(RegisterMBeans.class)).succeeds().says("registered");
    }

    /** JFR makes code of its own for events, which are in a package that is not exported. */
    @ParameterizedTest
    @MethodSource(JDKS)
    void eventsAreRecorded(Jdk jdk) throws Exception {
        Path recording = folder.resolve(jdk + ".jfr");
        with(jdk, aware).provider("PolluxSelectorProvider").with("-XX:StartFlightRecording:filename=" + recording)
                .run("-m", Application.main(Probe.class)).succeeds();
        long opened = RecordingFile.readAllEvents(recording).stream()
                .filter(event -> event.getEventType().getName().equals("dev.pollux.SelectorOpened")).count();
        assertEquals(2, opened);
    }

    private static Vm with(Jdk jdk, Application application) {
        return Vm.on(jdk).with("-p", path(application), NATIVE_ACCESS);
    }

    private static String path(Application application) {
        return PolluxJar.path() + File.pathSeparator + application.folder();
    }

    private static void assertPolluxWorks(Vm.Result result) {
        result.succeeds().says("selector dev.pollux.internal.selector.", "provider dev.pollux.PolluxSelectorProvider",
                "one identity true", "selected 1").warnsOfNothing();
    }
}
