// SPDX-License-Identifier: Apache-2.0
package dev.pollux.loading;

import dev.pollux.loading.program.Undeployed;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** A thread that has waited in a loop and has ended is kept by nothing: a web application can be undeployed. */
class UndeployedIT {

    static Stream<Arguments> jdksAndWitnesses() {
        return Jdk.all().stream().flatMap(jdk ->
                Stream.of("log", "jfr", "jmx").map(witness -> Arguments.of(jdk, witness)));
    }

    private static Vm vm(Jdk jdk, String... options) {
        return Vm.on(jdk).classPath(PolluxJar.path(), PolluxJar.programs()).with("-Xmx128m").with(options);
    }

    private static Vm.Result onPollux(Jdk jdk, String witness, String... ways) throws Exception {
        String[] arguments = new String[ways.length + 1];
        arguments[0] = witness;
        System.arraycopy(ways, 0, arguments, 1, ways.length);
        return vm(jdk, "-Ddev.pollux.jmx=" + witness.equals("jmx")).provider("PolluxSelectorProvider")
                .run(Undeployed.class, arguments).succeeds();
    }

    /** So the program is right, and the JDK keeps nothing itself. */
    @ParameterizedTest
    @MethodSource("dev.pollux.loading.Jdk#all")
    void theJdksSelectorKeepsNothing(Jdk jdk) throws Exception {
        vm(jdk).run(Undeployed.class, "log", "each", "spin").succeeds().says("left: 0");
    }

    /** The virtual machine's first wait is the first of them, and starts our daemon thread. */
    @ParameterizedTest
    @MethodSource("jdksAndWitnesses")
    void aThreadThatHasWaitedIsKeptByNothing(Jdk jdk, String witness) throws Exception {
        onPollux(jdk, witness, "select", "each", "poller").says("left: 0");
    }

    @ParameterizedTest
    @MethodSource("jdksAndWitnesses")
    void aThreadWhoseKeyWasExaminedIsKeptByNothing(Jdk jdk, String witness) throws Exception {
        onPollux(jdk, witness, "spin").warns("spins, ").says("left: 0");
    }

    @ParameterizedTest
    @MethodSource("jdksAndWitnesses")
    void aThreadThatHasWokenALoopForNothingIsKeptByNothing(Jdk jdk, String witness) throws Exception {
        onPollux(jdk, witness, "storm").warns("is woken").says("left: 0");
    }

    @ParameterizedTest
    @MethodSource("jdksAndWitnesses")
    void aThreadThatHasReplacedSelectorsIsKeptByNothing(Jdk jdk, String witness) throws Exception {
        onPollux(jdk, witness, "rebuilt").warns("Selectors are opened and closed again and again")
                .says("left: 0");
    }

    @ParameterizedTest
    @MethodSource("jdksAndWitnesses")
    void aThreadWhoseLoopWasBlockedIsKeptByNothing(Jdk jdk, String witness) throws Exception {
        onPollux(jdk, witness, "blocked").warns("is blocked").says("left: 0");
    }

    @ParameterizedTest
    @MethodSource("jdksAndWitnesses")
    void aLostThreadIsKeptByNothing(Jdk jdk, String witness) throws Exception {
        onPollux(jdk, witness, "lost").warns("No thread selects from selector 1").says("left: 0");
    }
}
