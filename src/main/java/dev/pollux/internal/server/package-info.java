// SPDX-License-Identifier: Apache-2.0
/**
 * What is behind {@code StreamServer}. Everything that is decided about requests and connections is decided here.
 *
 * <ul>
 * <li>{@code ServerLoops} opens the loops and has what they share, as {@code ServerSettings} says; {@code LoopArenas}
 *     sees that all have one mechanism; {@code SocketFile} is what listening in the Unix domain leaves.
 * <li>{@code ServerLoop} is one thread with an arena: its Javadoc leads through a batch.
 * <li>{@code LoopOpenings} begins connections. {@code LoopRequests} calls the handler ({@code HandlerCall}) with data
 *     and orders what it wants; {@code SecureRequests} decrypts first. {@code LoopEvents} calls it for all else, and
 *     has connections end. {@code RequestViews} is what the handler sees, {@code LongRequests} what is longer than an
 *     arena keeps.
 * <li>{@code LoopReplies} orders what the handler sends. {@code ReplyWriter}, {@code ReplyMemory} and {@code
 *     ResidentMemory} have the bytes of replies, {@code DeferredReply} is one that is given later.
 * <li>{@code ConnectionState} is what becomes of a connection's two ways, drawn.
 * <li>{@code HeldConnection} is a connection that outlives a call: what other threads send waits in it, in buffers of
 *     its loop's {@code BufferPool}; {@code Flights} are those that the system has not taken yet. With TLS each
 *     connection is one, and its {@code TlsStream} has what waits.
 * <li>{@code LoopMoves} has the connections that another loop is to serve.
 * <li>{@code LoopConnections} has the state and {@code TimedPhase} of each connection, {@code LoopTimeouts} how long it
 *     may be in that, {@code LoopSweep} ends those that are for longer. {@code LoopTimer} has what else time makes
 *     necessary; {@code TaskWheel} has the tasks of connections, {@code LoopTask} is one. {@code LingeringClose} has
 *     those that are still read from when their last reply was sent.
 * </ul>
 */
package dev.pollux.internal.server;
