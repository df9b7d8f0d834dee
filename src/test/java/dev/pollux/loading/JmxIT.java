// SPDX-License-Identifier: Apache-2.0
package dev.pollux.loading;

import static org.junit.jupiter.api.Assertions.assertFalse;

import dev.pollux.loading.program.ListMBeans;
import dev.pollux.loading.program.Probe;
import dev.pollux.loading.program.RegisterMBeans;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** JMX is there if somebody asks for it, and costs nothing if nobody does. */
class JmxIT {
    private static final String JDKS = "dev.pollux.loading.Jdk#all";
    private static final String ASKED = "-Ddev.pollux.jmx=true";
    private static final String NAME = "[dev.pollux:type=Loops]";

    private static Vm onClassPath(Jdk jdk) {
        return Vm.on(jdk).classPath(PolluxJar.path(), PolluxJar.programs()).provider("PolluxSelectorProvider");
    }

    @ParameterizedTest
    @MethodSource(JDKS)
    void thePropertyRegistersTheMBeanWithTheFirstSelector(Jdk jdk) throws Exception {
        onClassPath(jdk).with(ASKED).run(ListMBeans.class).succeeds().says("before []", "after " + NAME, "open 1");
    }

    @ParameterizedTest
    @MethodSource(JDKS)
    void theAgentsArgumentDoesTheSame(Jdk jdk) throws Exception {
        Vm.on(jdk).with("-javaagent:" + PolluxJar.path() + "=jmx").classPath(PolluxJar.programs())
                .run(ListMBeans.class).succeeds().says("before []", "after " + NAME, "open 1");
    }

    @Test
    void anUnknownArgumentOfTheAgentIsWarnedOf() throws Exception {
        Vm.on(Jdk.running()).with("-javaagent:" + PolluxJar.path() + "=jxm").classPath(PolluxJar.programs())
                .run(ListMBeans.class).succeeds().says("after []")
                .warns("Pollux: warning: the agent knows the arguments \"jmx\", \"calls\" and \"batch=...\" only,"
                        + " not \"jxm\"");
    }

    @ParameterizedTest
    @MethodSource(JDKS)
    void whoDoesNotAskLoadsNothingOfJmx(Jdk jdk) throws Exception {
        Vm.Result result = onClassPath(jdk).with("-Xlog:class+load").run(Probe.class).succeeds()
                .says("dev.pollux.internal.count.Loops ", "selected 1");
        for (String nothing : new String[] {"javax.management", "java.lang.management", "insight.Jmx",
            "insight.LoopsBean", "insight.LoopSnapshot"}) {
            assertFalse(result.out().contains(nothing), nothing);
        }
    }

    @ParameterizedTest
    @MethodSource(JDKS)
    void withoutTheModuleThePropertyIsWarnedOfAndPolluxWorks(Jdk jdk) throws Exception {
        onClassPath(jdk).with("--limit-modules", "java.base", ASKED).run(Probe.class).succeeds().says("selected 1")
                .warns("-Ddev.pollux.jmx=true has no effect").warns("this Java runtime has no module java.management");
    }

    @Test
    void withoutTheModuleTheCallSaysWhatIsMissing() throws Exception {
        Vm.Result result = onClassPath(Jdk.running()).with("--limit-modules", "java.base").run(RegisterMBeans.class)
                .succeeds().says("this Java runtime has no module java.management");
        assertFalse(result.out().contains("registered"));
    }

    @Test
    void theCallNeedsNoSelector() throws Exception {
        onClassPath(Jdk.running()).run(RegisterMBeans.class).succeeds().says("registered").warnsOfNothing();
    }
}
