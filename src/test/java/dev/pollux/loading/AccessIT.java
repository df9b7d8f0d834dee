// SPDX-License-Identifier: Apache-2.0
package dev.pollux.loading;

import dev.pollux.loading.program.EarlyAgent;
import dev.pollux.loading.program.NoOpener;
import dev.pollux.loading.program.OpenPackages;
import dev.pollux.loading.program.Probe;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every way in which an application gets Pollux, on every JDK at hand. */
class AccessIT {

    private static final String JDKS = "dev.pollux.loading.Jdk#all";
    private static final String OPENS = "java.base/sun.nio.ch=";

    @TempDir
    Path folder;

    private static void assertPolluxWorks(Vm.Result result, String provider) {
        result.succeeds().says("selector dev.pollux.internal.selector.", "provider dev.pollux." + provider,
                "one identity true", "selected 1");
    }

    @ParameterizedTest
    @MethodSource(JDKS)
    void thePropertyAloneIsEnoughForEpoll(Jdk jdk) throws Exception {
        assertPolluxWorks(onClassPath(jdk).provider("EPollSelectorProvider").run(Probe.class),
                "EPollSelectorProvider");
    }

    @ParameterizedTest
    @MethodSource(JDKS)
    void thePropertyAloneIsEnoughForPoll(Jdk jdk) throws Exception {
        assertPolluxWorks(onClassPath(jdk).provider("PollSelectorProvider").run(Probe.class), "PollSelectorProvider");
    }

    @ParameterizedTest
    @MethodSource(JDKS)
    void thePropertyAloneIsEnoughForTheBestMechanism(Jdk jdk) throws Exception {
        assertPolluxWorks(onClassPath(jdk).provider("PolluxSelectorProvider").run(Probe.class),
                "PolluxSelectorProvider");
    }

    @ParameterizedTest
    @MethodSource(JDKS)
    void beingOnTheClassPathSwitchesNothing(Jdk jdk) throws Exception {
        onClassPath(jdk).run(Probe.class).succeeds().says("selector sun.nio.ch.").warnsOfNothing();
    }

    @ParameterizedTest
    @MethodSource(JDKS)
    void aPackageOpenedByFlagIsUsed(Jdk jdk) throws Exception {
        assertPolluxWorks(onClassPath(jdk).provider("EPollSelectorProvider")
                .with("--add-opens", OPENS + "ALL-UNNAMED").run(Probe.class), "EPollSelectorProvider");
    }

    @ParameterizedTest
    @MethodSource(JDKS)
    void theBootClassPathWorks(Jdk jdk) throws Exception {
        assertPolluxWorks(Vm.on(jdk).with("-Xbootclasspath/a:" + PolluxJar.path()).classPath(PolluxJar.programs())
                .provider("EPollSelectorProvider").run(Probe.class), "EPollSelectorProvider");
    }

    @ParameterizedTest
    @MethodSource(JDKS)
    void theModulePathWorks(Jdk jdk) throws Exception {
        assertPolluxWorks(Vm.on(jdk).with("-p", PolluxJar.path().toString(), "--add-modules", "dev.pollux")
                .classPath(PolluxJar.programs()).provider("EPollSelectorProvider").run(Probe.class),
                "EPollSelectorProvider");
    }

    @ParameterizedTest
    @MethodSource(JDKS)
    void theAgentSwitchesAnExecutableJarOn(Jdk jdk) throws Exception {
        assertPolluxWorks(agent(jdk).run("-jar", application()), "PolluxSelectorProvider");
    }

    @ParameterizedTest
    @MethodSource(JDKS)
    void theAgentLeavesAProviderThatIsNamedAlone(Jdk jdk) throws Exception {
        assertPolluxWorks(agent(jdk).provider("PollSelectorProvider").run("-jar", application()),
                "PollSelectorProvider");
    }

    @ParameterizedTest
    @MethodSource(JDKS)
    void theAgentWarnsThatItCameTooLate(Jdk jdk) throws Exception {
        Path early = PolluxJar.programJar(folder, EarlyAgent.class, "Premain-Class");
        Vm.on(jdk).with("-javaagent:" + early, "-javaagent:" + PolluxJar.path()).run("-jar", application())
                .succeeds().says("early sun.nio.ch.", "selector sun.nio.ch.")
                .warns("Pollux: warning: the agent came too late");
    }

    @ParameterizedTest
    @MethodSource(JDKS)
    void onlyTheChannelsPackageIsOpened(Jdk jdk) throws Exception {
        for (String provider : List.of("EPollSelectorProvider", "PollSelectorProvider")) {
            assertOpened(onClassPath(jdk).provider(provider).run(OpenPackages.class), "before []",
                    "added [sun.nio.ch]");
        }
    }

    @ParameterizedTest
    @MethodSource(JDKS)
    void theAgentOpensOnlyTheChannelsPackage(Jdk jdk) throws Exception {
        assertOpened(agent(jdk).classPath(PolluxJar.path(), PolluxJar.programs()).run(OpenPackages.class),
                "before [sun.nio.ch]", "added []");
    }

    private static void assertOpened(Vm.Result result, String before, String added) {
        result.succeeds().says(before, added, "Unsafe refused");
    }

    @ParameterizedTest
    @MethodSource(JDKS)
    void whereNoWayIsOpenTheFlagsAreNamed(Jdk jdk) throws Exception {
        onClassPath(jdk).run(NoOpener.class).succeeds().says(
                "IOException ", "--add-opens " + OPENS + "ALL-UNNAMED", "--enable-native-access=ALL-UNNAMED");
    }

    private static Vm onClassPath(Jdk jdk) {
        return Vm.on(jdk).classPath(PolluxJar.path(), PolluxJar.programs());
    }

    private static Vm agent(Jdk jdk) {
        return Vm.on(jdk).with("-javaagent:" + PolluxJar.path());
    }

    private String application() throws IOException {
        return PolluxJar.programJar(folder, Probe.class, "Main-Class").toString();
    }
}
