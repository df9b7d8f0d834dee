// SPDX-License-Identifier: Apache-2.0
package dev.pollux;

import java.lang.instrument.Instrumentation;
import java.nio.channels.spi.SelectorProvider;
import java.util.Map;
import java.util.Set;

/**
 * Switches Pollux on for a program that is started by {@code java -jar}, to which no class path can be added:
 * {@code java -javaagent:pollux.jar -jar app.jar}.
 *
 * <p>The only class that needs the module {@code java.instrument}; no other refers to it.
 */
public final class PolluxAgent {

    private static final String PROPERTY = "java.nio.channels.spi.SelectorProvider";

    private PolluxAgent() {
    }

    /**
     * Opens the JDK to Pollux and names Pollux as the provider, unless another provider is named already.
     *
     * @param arguments       not used
     * @param instrumentation opens packages
     */
    public static void premain(String arguments, Instrumentation instrumentation) {
        open(instrumentation);
        if (System.getProperty(PROPERTY) == null) {
            System.setProperty(PROPERTY, PolluxSelectorProvider.class.getName());
        }
        warnIfTooLate(instrumentation);
    }

    private static void open(Instrumentation instrumentation) {
        Set<Module> us = Set.of(PolluxAgent.class.getModule());
        instrumentation.redefineModule(Object.class.getModule(), Set.of(), Map.of(), Map.of("sun.nio.ch", us), Set.of(),
                Map.of());
    }

    /** Asks the JDK for its provider only if that exists already: to ask is to choose it, for ever. */
    private static void warnIfTooLate(Instrumentation instrumentation) {
        for (Class<?> loaded : instrumentation.getAllLoadedClasses()) {
            if (loaded.getName().equals(SelectorProvider.class.getName() + "$Holder")) {
                String chosen = SelectorProvider.provider().getClass().getName();
                if (!chosen.equals(System.getProperty(PROPERTY))) {
                    System.err.println("Pollux: warning: the agent came too late, this VM has chosen " + chosen
                            + " already. Put -javaagent:pollux.jar before other agents, or set -D" + PROPERTY);
                }
                return;
            }
        }
    }
}
