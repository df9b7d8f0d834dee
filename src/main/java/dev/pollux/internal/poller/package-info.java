// SPDX-License-Identifier: Apache-2.0
/**
 * What is behind {@link dev.pollux.Poller}: members, and threads that take turns as leader (Leader/Followers). One
 * monitor, that of {@code Leadership}, guards all of it.
 *
 * <h2>One await</h2>
 *
 * {@code Poller} checks arguments, keeps the handles, and hands out what is ready as arrays, calls of a handler, or an
 * iteration. The monitor is held for a few instructions and for system calls that do not block.
 *
 * <ol>
 * <li>{@code Turns} decides what a thread does: take a fetched member, lead if no thread does, or follow, which means
 *     to park.
 * <li>The leader waits without the monitor ({@code Leadership}, {@code WaitStrategy}). An interrupt, a wakeup or a
 *     change wakes it. If it breaks off, the next thread does what it left undone.
 * <li>What it fetched is the {@code ReadyQueue}. Each thread takes one member, promotes a follower, deals with the
 *     member, and comes back for the next. (A thread that wants arrays takes what is ready, divided by the number of
 *     threads.) So no thread holds a member that it has not begun with, and none leads before all are taken.
 * <li>{@code MemberChanges} takes changes from any thread. On epoll the caller makes them at once. Elsewhere they wait
 *     for the leader, who is woken, makes them ({@code MemberRegistrations}) and leads on. The caller does not wait.
 * </ol>
 *
 * <p>Each change gives its {@code MemberState} a new generation, which is part of the cookie. What was fetched before a
 * change is never handed out after it; the change had the mechanism look again, so nothing is lost. A one-shot member
 * is disabled under the monitor when it is handed out, so exactly one thread gets it. If an iteration does not come to
 * a member, the member is enabled again. A thread's own structures ({@code Awaiter}, {@code ReadyEntries}) live as long
 * as the thread; they refer to {@code MemberState}, which forgets handle and source when the member is removed.
 *
 * <p>{@code Poller.descriptor} is that of a second epoll that watches the first, since the first may have to be
 * replaced.
 */
package dev.pollux.internal.poller;
