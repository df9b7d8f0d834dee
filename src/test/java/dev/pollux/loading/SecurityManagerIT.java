// SPDX-License-Identifier: Apache-2.0
package dev.pollux.loading;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.pollux.loading.program.InheritedEcho;
import dev.pollux.loading.program.Probe;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Under a security manager the jar needs all permissions, and the application none for Pollux. */
class SecurityManagerIT {

    private static final int LAST_WITH_SECURITY_MANAGER = 23;

    @TempDir
    Path folder;

    @BeforeAll
    static void needsASecurityManager() {
        assumeTrue(Runtime.version().feature() <= LAST_WITH_SECURITY_MANAGER, "this JDK has no security manager");
    }

    @Test
    void anApplicationWithoutPermissionsGetsPollux() throws Exception {
        confined("permission java.lang.RuntimePermission \"exitVM.*\";").run(Probe.class).succeeds()
                .says("provider dev.pollux.EPollSelectorProvider", "one identity true", "selected 1");
    }

    @Test
    void theInheritedChannelNeedsItsPermission() throws Exception {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            InheritedChannelIT.onConnection(confined(""), server).run(InheritedEcho.class).succeeds()
                    .says("refused ", "inheritedChannel");
        }
    }

    @Test
    void aJarWithoutAllPermissionsSaysThatItNeedsThem() throws Exception {
        confined("permission java.lang.RuntimePermission \"selectorProvider\";",
                "permission java.lang.RuntimePermission \"exitVM.*\";")
                .run(Probe.class).fails().says("IOException Pollux ", "java.security.AllPermission");
    }

    /** An exception of an agent ends the program, on JDK 17 by abort(3). */
    @ParameterizedTest
    @ValueSource(strings = {"", "=jmx,batch=all"})
    void anAgentWithoutPermissionsSaysWhatItNeedsAndTheProgramGoesOn(String arguments) throws Exception {
        Path policy = folder.resolve("policy");
        Files.writeString(policy, "grant { permission java.lang.RuntimePermission \"exitVM.*\"; };\n");
        Vm.on(Jdk.running()).classPath(PolluxJar.programs()).with("-javaagent:" + PolluxJar.path() + arguments,
                "-Djava.security.manager", "-Djava.security.policy==" + policy).run(Probe.class).succeeds()
                .says("selector sun.nio.ch.", "selected 1").warns("java.security.AllPermission");
    }

    private Vm confined(String permissions) throws IOException {
        return confined("permission java.security.AllPermission;", permissions);
    }

    private Vm confined(String ours, String everybodys) throws IOException {
        Path policy = folder.resolve("policy");
        Files.writeString(policy, "grant codeBase \"" + PolluxJar.path().toUri()
                + "\" { " + ours + " };\ngrant { " + everybodys + " };\n");
        return Vm.on(Jdk.running()).classPath(PolluxJar.path(), PolluxJar.programs())
                .with("-Djava.security.manager", "-Djava.security.policy==" + policy)
                .provider("EPollSelectorProvider");
    }
}
