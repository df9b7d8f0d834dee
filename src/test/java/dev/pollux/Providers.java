// SPDX-License-Identifier: Apache-2.0
package dev.pollux;

import dev.pollux.internal.startup.Startup;
import java.nio.channels.spi.SelectorProvider;
import java.util.stream.Stream;

/** The providers of all mechanisms that the library has here. */
public final class Providers {

    private Providers() {
    }

    public static Stream<SelectorProvider> all() {
        return Startup.outcome().mechanisms().stream().map(Diagnosis::provider);
    }
}
