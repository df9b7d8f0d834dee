// SPDX-License-Identifier: Apache-2.0
package dev.pollux.loading;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/** Virtual machines whose selectors defer writes. */
final class Batching {
    /** What was found does not change while tests run, and each question is a virtual machine. */
    private static final Map<Jdk, String> DIAGNOSES = new ConcurrentHashMap<>();

    private Batching() {
    }

    /** With the jar, the programs of tests, and more on its class path. */
    static Vm vm(Jdk jdk, String batch, Path... more) {
        return Vm.on(jdk).with("-Ddev.pollux.batch=" + batch).provider("PolluxSelectorProvider").classPath(
                Stream.concat(Stream.of(PolluxJar.path(), PolluxJar.programs()), Stream.of(more))
                        .toArray(Path[]::new));
    }

    /** Skips the test where there is no batch: on other systems and processors, without io_uring, or with strace. */
    static void require(Jdk jdk) throws Exception {
        String diagnosis = DIAGNOSES.get(jdk);
        if (diagnosis == null) {
            diagnosis = Vm.on(jdk).with("-Ddev.pollux.batch=all").run("-jar", PolluxJar.path().toString()).out();
            DIAGNOSES.put(jdk, diagnosis);
        }
        assumeTrue(diagnosis.contains("batch:           all"), diagnosis);
    }
}
