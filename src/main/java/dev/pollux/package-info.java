// SPDX-License-Identifier: Apache-2.0
/**
 * Selectors on the best mechanism of the system, and a poll(2) for Java. What to begin with:
 *
 * <ul>
 *   <li><b>A program on NIO that is to run on Pollux</b>, your own or a server with Netty, Jetty or Tomcat: no class of
 *       this package. Start it with
 *       {@code -Djava.nio.channels.spi.SelectorProvider=dev.pollux.PolluxSelectorProvider}, or if it is started by
 *       {@code java -jar}, with {@code -javaagent:pollux.jar} ({@link dev.pollux.PolluxAgent}). {@code Selector.open()}
 *       returns Pollux's selector then. {@link dev.pollux.PolluxSelectorProvider} takes the best mechanism; a provider
 *       for each mechanism stands beside it.
 *   <li><b>A loop of your own over descriptors</b>, also those that no channel has: {@link dev.pollux.Poller}.
 *   <li><b>A server that answers short requests</b>, on io_uring where Linux permits it: {@code StreamServer}, in the
 *       artifact {@code pollux-server}.
 *   <li><b>To see what selectors do</b>: {@code java -jar pollux-tools.jar top PID}, the events of the Flight Recorder
 *       in the category Pollux, or {@link dev.pollux.Pollux#registerMBeans} for JMX.
 *   <li><b>To see whether all works on a machine</b>: {@link dev.pollux.Diagnosis}, by {@code java -jar pollux.jar}.
 * </ul>
 *
 * <p>The native library is in the jar and is loaded when something is opened first. Where Pollux can't work, opening
 * throws an {@link java.io.IOException} that says why and what to do; the JDK's selector never steps in silently. No
 * flag opens internal packages of the JDK. Classes below {@code dev.pollux.internal} are not for other programs.
 *
 * <p>Each class says which threads may use it and what it allocates. Times are in nanoseconds unless a parameter's name
 * or type says otherwise.
 */
package dev.pollux;
