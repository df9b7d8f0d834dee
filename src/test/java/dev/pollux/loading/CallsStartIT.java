// SPDX-License-Identifier: Apache-2.0
package dev.pollux.loading;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.pollux.lab.Home;
import dev.pollux.loading.calls.StreamCalls;
import dev.pollux.loading.program.ListMBeans;
import dev.pollux.loading.program.OsgiFramework;
import dev.pollux.loading.program.PollingBundle;
import dev.pollux.loading.program.Probe;
import dev.pollux.loading.program.TwoLoaders;
import dev.pollux.loading.program.UnloadedPollux;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.osgi.framework.launch.FrameworkFactory;

/** The JDK's native methods are replaced without a warning, whoever loads Pollux, and stay replaced. */
class CallsStartIT {
    private static final String JDKS = "dev.pollux.loading.Jdk#all";
    private static final int LAST_WITH_SECURITY_MANAGER = 23;

    /** What {@code -verbose:jni} says. */
    private static final String REGISTERED = "Registering JNI native method sun.nio.ch.SocketDispatcher.read0";

    @TempDir
    Path folder;

    @ParameterizedTest
    @MethodSource(JDKS)
    void theVmWarnsOfNothing(Jdk jdk) throws Exception {
        requireReplacedInSilence(SameCalls.replacing(jdk).run(StreamCalls.class, "tcp"));
    }

    @ParameterizedTest
    @MethodSource(JDKS)
    void theVmWarnsOfNothingWhenItChecksNativeMethods(Jdk jdk) throws Exception {
        requireReplacedInSilence(SameCalls.replacing(jdk).with("-Xcheck:jni").run(StreamCalls.class, "tcp"));
    }

    @ParameterizedTest
    @MethodSource(JDKS)
    void methodsThatAreCompiledAtOnceCallOursToo(Jdk jdk) throws Exception {
        requireReplacedInSilence(SameCalls.replacing(jdk).with("-Xcomp").run(StreamCalls.class, "pipe"));
    }

    @ParameterizedTest
    @MethodSource(JDKS)
    void theFirstClassLoaderReplacesThemForAll(Jdk jdk) throws Exception {
        Vm.Result result = on(jdk).classPath(PolluxJar.programs()).with("-verbose:jni")
                .run(TwoLoaders.class, PolluxJar.path().toString()).succeeds().says("different true");
        requireRegistered(result);
        assertEquals(2, result.out().split(REGISTERED, -1).length, result::toString);
    }

    @ParameterizedTest
    @MethodSource(JDKS)
    void socketsWorkWhenTheClassLoaderIsUnloaded(Jdk jdk) throws Exception {
        Vm.Result result = on(jdk).classPath(PolluxJar.programs())
                .run(UnloadedPollux.class, PolluxJar.path().toString()).succeeds()
                .says("unloaded true\nunloaded true\nunloaded true", "transferred");
        requireReplacedInSilence(result);
    }

    @ParameterizedTest
    @MethodSource(JDKS)
    void theAgentReplacesThemForAnApplicationThatOpensNoChannel(Jdk jdk) throws Exception {
        Vm.Result result = on(jdk).with("-verbose:jni", "-javaagent:" + PolluxJar.path() + "=calls")
                .classPath(PolluxJar.programs()).run(ListMBeans.class).succeeds();
        requireRegistered(result);
    }

    @Test
    void anApplicationUnderASecurityManagerNeedsNoPermissionForIt() throws Exception {
        assumeTrue(Runtime.version().feature() <= LAST_WITH_SECURITY_MANAGER, "this JDK has no security manager");
        Path policy = folder.resolve("policy");
        Files.writeString(policy, "grant codeBase \"" + PolluxJar.path().toUri() + "\" { permission "
                + "java.security.AllPermission; };\ngrant { permission java.lang.RuntimePermission \"exitVM.*\"; };\n");
        requireRegistered(SameCalls.replacing(Jdk.running()).with("-verbose:jni", "-Djava.security.manager",
                "-Djava.security.policy==" + policy).provider("PolluxSelectorProvider").run(Probe.class).succeeds()
                .says("selected 1"));
    }

    @ParameterizedTest
    @MethodSource(JDKS)
    void bundlesReplaceThemToo(Jdk jdk) throws Exception {
        Path bundle = PolluxJar.programJar(folder, PollingBundle.class, Map.of(
                "Bundle-ManifestVersion", "2", "Bundle-SymbolicName", "application",
                "Bundle-Activator", PollingBundle.class.getName(), "Import-Package", "dev.pollux,org.osgi.framework"));
        Path framework = Home.of(FrameworkFactory.class);
        for (String passed : new String[] {"bootdelegation", "system.packages.extra"}) {
            requireRegistered(on(jdk).with("-verbose:jni").classPath(PolluxJar.programs(), framework).run(
                    OsgiFramework.class, folder.resolve(passed).toString(), "org.osgi.framework." + passed
                    + "=sun.nio.ch", PolluxJar.path().toString(), bundle.toString()).succeeds().says("polled 1"));
        }
    }

    @ParameterizedTest
    @MethodSource(JDKS)
    void anotherValueIsRefusedWithThoseThereAre(Jdk jdk) throws Exception {
        Vm.on(jdk).with("-Ddev.pollux.calls=maybe").classPath(PolluxJar.path(), PolluxJar.programs())
                .provider("PolluxSelectorProvider").run(Probe.class).fails()
                .says("IOException Pollux ", "dev.pollux.calls", "maybe", "auto, on or off");
    }

    @ParameterizedTest
    @MethodSource(JDKS)
    void theDiagnosisSaysThatTheyAreLeftAlone(Jdk jdk) throws Exception {
        Vm.on(jdk).with("-Ddev.pollux.calls=off").run("-jar", PolluxJar.path().toString()).succeeds()
                .says("the JDK's own (-Ddev.pollux.calls=off)");
    }

    @ParameterizedTest
    @MethodSource(JDKS)
    void theDiagnosisSaysWhichAreReplacedAndWhy(Jdk jdk) throws Exception {
        Vm.Result result = on(jdk).run("-jar", PolluxJar.path().toString()).succeeds();
        assumeTrue(result.out().contains("covered, since "), "native methods can't be replaced here");
        result.says("covered, since -Ddev.pollux.calls=on: SocketDispatcher.read0", "; left as they are: ");
    }

    private static Vm on(Jdk jdk) {
        return Vm.on(jdk).with("-Ddev.pollux.calls=on");
    }

    /** But for what JDK 26 says of each selector that sets its fields for keys, which has nothing to do with calls. */
    private static void requireReplacedInSilence(Vm.Result result) {
        SameCalls.requireReplaced(result.succeeds().out());
        for (String output : new String[] {result.out(), result.err()}) { // the VM warns on either
            assertFalse(output.contains("Re-registering"), output);
            assertFalse(output.lines().anyMatch(line -> line.contains("WARNING in native method")
                    && !line.contains("called to mutate final instance field")), output);
        }
    }

    private static void requireRegistered(Vm.Result result) {
        assumeTrue(System.getProperty("os.arch").equals("amd64"), "native methods can't be replaced here");
        assertTrue(result.out().contains(REGISTERED), result::toString);
        assertFalse((result.out() + result.err()).contains("Re-registering"), result::toString);
    }
}
