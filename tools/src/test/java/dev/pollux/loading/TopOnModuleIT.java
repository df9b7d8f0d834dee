// SPDX-License-Identifier: Apache-2.0
package dev.pollux.loading;

import dev.pollux.loading.program.BusyServer;
import java.io.File;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** {@code top} on a server whose Pollux is a module. */
class TopOnModuleIT {
    @TempDir
    private Path folder;

    /** The VM loads the module java.instrument when top comes, so no module could have exported anything to it. */
    @ParameterizedTest
    @MethodSource("dev.pollux.loading.Jdk#all")
    void topLooksIntoAServerThatIsAModule(Jdk jdk) throws Exception {
        Application unaware = Application.unaware(folder.resolve("unaware"));
        try (Server server = Server.started(jdk.java(), "-p",
                PolluxJar.path() + File.pathSeparator + unaware.folder(), "--add-modules", "dev.pollux",
                "-Djava.nio.channels.spi.SelectorProvider=dev.pollux.PolluxSelectorProvider",
                "-m", Application.main(BusyServer.class))) {
            Vm.on(jdk).run("-jar", System.getProperty("pollux.tools"), "top", Long.toString(server.pid()), "--once",
                    "--stack").succeeds().says(" echo ", "BusyServer.serve");
        }
    }
}
