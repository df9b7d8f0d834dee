// SPDX-License-Identifier: Apache-2.0
package dev.pollux.loading;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** The jar of the tools, named by the system property {@code pollux.tools}. */
final class ToolsJar {
    private ToolsJar() {
    }

    static String path() {
        return Objects.requireNonNull(System.getProperty("pollux.tools"), "-Dpollux.tools must name the jar");
    }

    /** Runs a command in this VM. */
    static Vm.Result run(Vm vm, String command, String... arguments) throws IOException, InterruptedException {
        List<String> all = new ArrayList<>(List.of("-jar", path(), command));
        all.addAll(List.of(arguments));
        return vm.run(all.toArray(String[]::new));
    }
}
