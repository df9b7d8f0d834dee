// SPDX-License-Identifier: Apache-2.0
package dev.pollux.tools.top;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** stty(1) for the terminal that controls this process. Stateless. */
final class Stty {
    private Stty() {
    }

    /** {@return what it prints; empty if it fails, or there is no such program or no terminal} */
    static Optional<String> run(String... arguments) {
        List<String> command = new ArrayList<>(List.of("stty"));
        command.addAll(List.of(arguments));
        try {
            Process stty = new ProcessBuilder(command).redirectInput(new File("/dev/tty"))
                    .redirectError(ProcessBuilder.Redirect.DISCARD).start();
            String printed = new String(stty.getInputStream().readAllBytes(), StandardCharsets.US_ASCII).strip();
            return stty.waitFor() == 0 ? Optional.of(printed) : Optional.empty();
        } catch (IOException noTerminal) {
            return Optional.empty();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        }
    }
}
