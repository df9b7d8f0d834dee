// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.verdict;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** An event loop is told from a library that is asked for events now and then. Stacks are written innermost first. */
class LoopCodeTest {

    @ParameterizedTest
    @CsvSource({
        // plain NIO; Netty's handler and its task; Jetty
        "true, app.Server.loop java.lang.Thread.run, app.Handler.handle app.Server.loop java.lang.Thread.run",
        "true, io.netty.channel.nio.NioIoHandler.select io.netty.channel.nio.NioIoHandler.run"
                + " io.netty.channel.SingleThreadIoEventLoop.run java.lang.Thread.run,"
                + " com.acme.Handler.read io.netty.channel.nio.NioIoHandler.processSelectedKeys"
                + " io.netty.channel.nio.NioIoHandler.run io.netty.channel.SingleThreadIoEventLoop.run"
                + " java.lang.Thread.run",
        "true, io.netty.channel.nio.NioIoHandler.run io.netty.channel.SingleThreadIoEventLoop.run java.lang.Thread.run,"
                + " com.acme.Task.run io.netty.util.concurrent.AbstractEventExecutor.runTask"
                + " io.netty.channel.SingleThreadIoEventLoop.run java.lang.Thread.run",
        "true, org.eclipse.jetty.io.ManagedSelector.select org.eclipse.jetty.util.thread.Runner.run,"
                + " com.acme.Servlet.get org.eclipse.jetty.util.thread.Runner.run",
        // a loop of our own; one whose lambda is a hidden class
        "true, java.lang.Thread.run, com.acme.Let.serve dev.pollux.server.ServerLoop.run"
                + " java.lang.Thread.run",
        "true, app.Server.loop app.Server.lambda$0 java.lang.Thread.run,"
                + " app.Server.loop app.Server.lambda$0 app.Server$$Lambda/0x1.run java.lang.Thread.run",
        // Kafka's consumer, and a pool's thread that has done its task
        "false, org.apache.kafka.common.network.Selector.select org.apache.kafka.clients.consumer.KafkaConsumer.poll"
                + " com.acme.App.main, com.acme.App.process com.acme.App.main",
        "false, com.acme.Client.call java.util.concurrent.ThreadPoolExecutor.runWorker java.lang.Thread.run,"
                + " java.util.concurrent.ThreadPoolExecutor.getTask java.util.concurrent.ThreadPoolExecutor.runWorker"
                + " java.lang.Thread.run",
        // nothing in common: another thread has taken over
        "false, app.Server.loop java.lang.Thread.run, app.Main.main"})
    void theStacksTell(boolean expected, String waiting, String now) {
        FirstWait wait = new FirstWait(stack("dev.pollux.internal.selector.PolluxSelector.doSelect"
                + " sun.nio.ch.SelectorImpl.select " + waiting));
        assertEquals(expected, LoopCode.isIn(stack(now), wait));
    }

    @ParameterizedTest
    @CsvSource({
        "true, app.Server.loop java.lang.Thread.run, java.util.concurrent.ThreadPoolExecutor.getTask"
                + " java.util.concurrent.ThreadPoolExecutor.runWorker java.lang.Thread.run",
        "false, app.Server.loop java.lang.Thread.run, java.lang.Object.wait app.Server.loop java.lang.Thread.run",
        "false, sun.net.httpserver.ServerImpl.run java.lang.Thread.run, java.lang.Object.wait java.lang.Thread.run"})
    void aThreadThatDoesNothingForTheProgramHasLeft(boolean expected, String waiting, String now) {
        FirstWait wait = new FirstWait(stack("sun.nio.ch.SelectorImpl.select " + waiting));
        assertEquals(expected, LoopCode.hasLeft(stack(now), wait));
    }

    @ParameterizedTest
    @CsvSource({
        // Netty has waited for its registration when the first handler runs
        "true, 2, 2, true", "true, 2, 2, false", "true, 100, 76, false",
        // a class that handles what it has waited for may take long each time
        "true, 100, 1, true",
        // a program that has waited for one connection, or asks a client for the next message each five seconds
        "false, 1, 1, true", "false, 1, 1, false", "false, 100, 1, false", "false, 100, 75, false"})
    void theTimesBetweenWaitsTell(boolean expected, long all, long shorter, boolean isInClass) {
        long[] stretches = {1, 1, 1, shorter, all, all};
        assertEquals(expected, LoopCode.isUsedAsLoop(stretches, isInClass));
    }

    private static StackTraceElement[] stack(String calls) {
        return Stream.of(calls.strip().split(" +")).map(call -> new StackTraceElement(
                call.substring(0, call.lastIndexOf('.')), call.substring(call.lastIndexOf('.') + 1), null, -1))
                .toArray(StackTraceElement[]::new);
    }
}
