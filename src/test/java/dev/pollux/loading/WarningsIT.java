// SPDX-License-Identifier: Apache-2.0
package dev.pollux.loading;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.loading.program.Probe;
import dev.pollux.loading.program.WaitTwice;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What newer JDKs say about a library with native code that changes final fields of the JDK. */
class WarningsIT {

    private static final String NATIVE_ACCESS = "--enable-native-access=ALL-UNNAMED";

    @ParameterizedTest
    @MethodSource("dev.pollux.loading.Jdk#all")
    void withNativeAccessNothingIsWarnedOf(Jdk jdk) throws Exception {
        pollux(jdk).with(NATIVE_ACCESS).run(Probe.class).succeeds().says("selected 1").warnsOfNothing();
    }

    /** JEP 472; an empty line ends it. */
    @ParameterizedTest
    @MethodSource("dev.pollux.loading.Jdk#allThatDenyNativeAccess")
    void withoutNativeAccessTheLoadingIsWarnedOfAndNothingElse(Jdk jdk) throws Exception {
        Vm.Result result = pollux(jdk.from(24)).run(Probe.class).succeeds().says("selected 1");
        List<String> lines = result.err().lines().filter(line -> !line.isEmpty()).toList();
        assertEquals(4, lines.size(), result::toString);
        assertTrue(lines.stream().allMatch(line -> line.startsWith("WARNING: ")), result::toString);
        assertTrue(lines.get(1).contains("java.lang.System::load has been called by dev.pollux."), result::toString);
    }

    /** JEP 500. */
    @ParameterizedTest
    @MethodSource("dev.pollux.loading.Jdk#allThatProtectFinalFields")
    void whereFinalFieldsStayFinalNothingIsWarnedOf(Jdk jdk) throws Exception {
        pollux(jdk.from(26)).with(NATIVE_ACCESS, "--illegal-final-field-mutation=deny").run(Probe.class)
                .succeeds().says("selected 1").warnsOfNothing();
    }

    @ParameterizedTest
    @MethodSource("dev.pollux.loading.Jdk#all")
    void aMisspeltPropertyIsWarnedOfOnce(Jdk jdk) throws Exception {
        Vm.Result result = pollux(jdk).with(NATIVE_ACCESS, "-Ddev.pollux.bacth=all").run(WaitTwice.class).succeeds()
                .says("over").warns("WARNING: -Ddev.pollux.bacth has no effect: Pollux has no such property;"
                + " did you mean dev.pollux.batch?");
        assertEquals(2, result.err().split("bacth", -1).length, result::toString);
    }

    @ParameterizedTest
    @MethodSource("dev.pollux.loading.Jdk#all")
    void aMisspeltArgumentOfTheAgentIsWarnedOf(Jdk jdk) throws Exception {
        pollux(jdk).with(NATIVE_ACCESS, "-javaagent:" + PolluxJar.path() + "=bacth=all,call").run(Probe.class)
                .succeeds().warns("not \"bacth=all\"; did you mean \"batch=all\"?")
                .warns("not \"call\"; did you mean \"calls\"?");
    }

    @Test
    void theDiagnosisTellsAMisspeltProperty() throws Exception {
        Vm.on(Jdk.running()).with("-Ddev.pollux.watch.block=1").run("-jar", PolluxJar.path().toString()).succeeds()
                .says("property:        -Ddev.pollux.watch.block has no effect", "dev.pollux.watch.blocked?");
    }

    private static Vm pollux(Jdk jdk) {
        return Vm.on(jdk).classPath(PolluxJar.path(), PolluxJar.programs()).provider("EPollSelectorProvider");
    }
}
