// SPDX-License-Identifier: Apache-2.0
package dev.pollux.loading;

import dev.pollux.lab.Home;
import java.nio.file.Path;

/** The StreamServer's jar under test, named by the system property {@code pollux.server}. */
final class ServerJar {
    private ServerJar() {
    }

    static Path path() {
        String jar = System.getProperty("pollux.server");
        if (jar == null) {
            throw new IllegalStateException("-Dpollux.server must name the server's jar");
        }
        return Path.of(jar).toAbsolutePath();
    }

    /** The folder of the programs that child VMs run. */
    static Path programs() {
        return Home.of(ServerJar.class);
    }
}
