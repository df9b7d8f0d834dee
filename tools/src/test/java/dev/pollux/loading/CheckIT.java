// SPDX-License-Identifier: Apache-2.0
package dev.pollux.loading;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** {@code java -jar pollux-tools.jar check}: what it prints. {@code ChecksTest} has what its checks find. */
class CheckIT {
    private static final String EPOLL = "epoll";

    /** Why a check may be skipped that this machine has the means for, or why there is no batch. */
    private static final String REASONS =
            "(timeouts are right; this JDK|io_uring|it is|the socket calls)";

    @ParameterizedTest
    @MethodSource("dev.pollux.loading.Jdk#all")
    void allIsWellHere(Jdk jdk) throws Exception {
        Vm.Result result = check(Vm.on(jdk)).succeeds().warnsOfNothing();
        for (String check : List.of("connect", "out-of-band data", "timeouts, signals", "inherited channel", "batch",
                "1000 channels", "no garbage", "no descriptor left")) {
            String line = "epoll +" + check + " +(ok|skipped +" + REASONS + ".*)";
            assertTrue(result.out().lines().anyMatch(each -> each.matches(line)), result::toString);
        }
        result.says(" ok, 0 failed, ");
    }

    @Test
    void jsonIsOneObjectForScripts() throws Exception {
        String out = check(Vm.on(Jdk.running()), "--json", "--mechanism", "poll").succeeds().warnsOfNothing().out();
        assertEquals(0.0, JsonReader.read(out, "failed"));
        assertEquals(Runtime.version().toString(), JsonReader.read(out, "jdk"));
        Object first = JsonReader.read(out, "checks", 0);
        assertEquals("poll", JsonReader.in(first, "mechanism"));
        assertEquals("connect", JsonReader.in(first, "check"));
        assertEquals("ok", JsonReader.in(first, "result"));
        assertTrue((double) JsonReader.in(first, "milliseconds") >= 0, out);
    }

    /** The machine's network has no address there, not even the loopback address. */
    @Test
    void withoutTheLoopbackAddressItSaysWhatItNeeds() throws Exception {
        String[] alone = {"unshare", "--net", "--map-root-user"};
        assumeTrue(new ProcessBuilder("sh", "-c", String.join(" ", alone) + " true").start().waitFor() == 0,
                "no network of its own is permitted here");
        Vm.Result result = check(Vm.on(Jdk.running()).through(alone), "--mechanism", EPOLL).fails();
        result.says("The checks need the loopback address", "the JDK's own selector: FAILED, the same")
                .says("epoll      pipe                   ok", "please report it");
    }

    @Test
    void aLimitOfDescriptorsIsNamed() throws Exception {
        check(Vm.on(Jdk.running()).through("sh", "-c", "ulimit -n 64 && exec \"$@\"", "sh"), "--mechanism", EPOLL)
                .succeeds().says("1000 channels          skipped", "Raise the limit of open files");
    }

    @Test
    void aProgramThatIsMissingIsNamed() throws Exception {
        check(Vm.on(Jdk.running()).through("env", "PATH=/nowhere"), "--mechanism", EPOLL)
                .succeeds().says("inherited channel      skipped", "bash");
    }

    @Test
    void aRuntimeOfJavaBaseAloneCanNotCountWhatIsAllocated() throws Exception {
        check(Vm.on(Jdk.running()).with("--limit-modules", "java.base"), "--mechanism", EPOLL)
                .succeeds().says("no garbage             skipped", "jdk.management");
    }

    private static Vm.Result check(Vm vm, String... arguments) throws IOException, InterruptedException {
        return ToolsJar.run(vm, "check", arguments);
    }
}
