// SPDX-License-Identifier: Apache-2.0
package dev.pollux;

import dev.pollux.internal.batch.Streams;
import dev.pollux.internal.count.Printable;
import dev.pollux.internal.jdk.PolluxProperties;
import dev.pollux.internal.startup.Startup;
import dev.pollux.internal.tell.Jmx;
import dev.pollux.internal.tell.TopAgent;
import java.io.IOException;
import java.lang.instrument.Instrumentation;
import java.nio.channels.spi.SelectorProvider;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Switches Pollux on for a program that is started by {@code java -jar}, to which no class path can be added:
 * {@code java -javaagent:pollux.jar -jar app.jar}. Arguments are separated by commas, as in
 * {@code -javaagent:pollux.jar=jmx,calls}. {@code jmx} does what the property {@code dev.pollux.jmx=true} does: see
 * {@link Pollux}. {@code calls} starts Pollux before the application instead of with the first selector or channel, so
 * that the calls of {@code java.net.Socket} are covered in programs that open neither: see docs/calls.md.
 *
 * <p>The only class that needs the module {@code java.instrument}; no other refers to it.
 */
public final class PolluxAgent {
    private static final String JMX = "jmx";
    private static final String CALLS = "calls";
    private static final String BATCH = "batch=";

    private static final String PROPERTY = "java.nio.channels.spi.SelectorProvider";

    private PolluxAgent() {
    }

    /**
     * Opens the JDK to Pollux and names Pollux as the provider, unless another provider is named already.
     *
     * @param arguments       some of {@code jmx}, {@code calls} and {@code batch=all} (or another value of the property
     *     {@code dev.pollux.batch}), or null or empty; anything else is warned of
     * @param instrumentation opens packages
     */
    @SuppressWarnings("exports") // the VM calls it, and that has the module
    public static void premain(String arguments, Instrumentation instrumentation) {
        try {
            start(parse(arguments), instrumentation);
        } catch (SecurityException e) { // thrown, it would end the whole program
            warn(e.getMessage() + ". " + Startup.SECURITY_ADVICE + "; without it the program may run without Pollux");
        }
    }

    private static void start(List<String> known, Instrumentation instrumentation) {
        open(instrumentation);
        if (known.contains(JMX)) {
            System.setProperty(Jmx.PROPERTY, "true"); // to register the MBean here would start logging too early
        }
        if (System.getProperty(PROPERTY) == null) {
            System.setProperty(PROPERTY, PolluxSelectorProvider.class.getName());
        }
        if (System.getProperty(Streams.PROPERTY) == null) { // that of one program counts more than all's
            known.stream().filter(each -> each.startsWith(BATCH))
                    .forEach(each -> System.setProperty(Streams.PROPERTY, each.substring(BATCH.length())));
        }
        warnIfTooLate(instrumentation);
        IOException failure = known.contains(CALLS) ? Startup.outcome().failure() : null;
        if (failure != null) {
            warn(failure.getMessage());
        }
    }

    /**
     * Answers {@code java -jar pollux-tools.jar top}, which loads this agent into the virtual machine that it looks at.
     * It switches nothing on.
     *
     * @param socket where {@code top} listens
     * @throws IOException if no process listens there
     */
    public static void agentmain(String socket) throws IOException {
        TopAgent.start(socket); // here, since a module must export its agent's class
    }

    private static List<String> parse(String arguments) {
        List<String> known = new ArrayList<>();
        for (String argument : arguments == null ? List.<String>of() : List.of(arguments.split(","))) {
            if (argument.equals(JMX) || argument.equals(CALLS) || argument.startsWith(BATCH)) {
                known.add(argument);
            } else if (!argument.isEmpty()) {
                warn("the agent knows the arguments \"" + JMX + "\", \"" + CALLS + "\" and \"" + BATCH
                        + "...\" only, not \"" + Printable.of(argument) + "\"; did you mean \"" + nearest(argument)
                        + "\"?");
            }
        }
        return known;
    }

    /** With the value that was given, if there was one. */
    private static String nearest(String argument) {
        int value = argument.indexOf('=') + 1;
        String name = PolluxProperties.nearest(argument.substring(0, value == 0 ? argument.length() : value),
                List.of(JMX, CALLS, BATCH));
        return !name.equals(BATCH) ? name : BATCH + (value == 0 ? "..." : Printable.of(argument.substring(value)));
    }

    private static void warn(String warning) {
        System.err.println("Pollux: warning: " + warning);
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
                    warn("the agent came too late, this VM has chosen " + chosen + " already. Put"
                            + " -javaagent:pollux.jar before other agents, or set -D" + PROPERTY);
                }
                return;
            }
        }
    }
}
