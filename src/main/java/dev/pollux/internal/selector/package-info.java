// SPDX-License-Identifier: Apache-2.0
/**
 * One selector for every mechanism: {@code PolluxSelector}, which extends the JDK's {@code SelectorImpl}.
 *
 * <h2>One selection</h2>
 *
 * {@code SelectorImpl} takes two locks, the selector's and that of the public set of selected keys. Then it calls
 * {@code PolluxSelector.doSelect}:
 *
 * <ol>
 * <li><b>Updates.</b> The {@code UpdateQueue} holds each key whose interest has changed, once. {@code KeyRegistrar}
 *     tells the mechanism the difference between what it holds and what is asked for. Dropped interest in reading
 *     stays armed (<i>lazy disarm</i>); dropped interest in writing is disarmed at once. New interest in writing is
 *     not told: after step 2 all such keys are asked by one poll(2), or by none where their last write was seen to be
 *     complete, and only those that are not writable are armed ({@code WriteInterest}). Where lazy disarm does not
 *     pay, keys are armed for one event ({@code OtherWay}), and armed again here. What the kernel refuses is watched
 *     by poll(2) meanwhile ({@code PollFallback}), and offered to the kernel again, one key at each selection ({@code
 *     Refusals}).
 * <li><b>Cancelled keys</b> leave the mechanism here and after the wait, never later: their descriptors are reused
 *     ({@code KeyRegistrar.remove}).
 * <li><b>Wait</b> ({@code WaitStrategy}). It polls first, without preparations, if that lately found events, if the
 *     selector was woken already, or for {@code selectNow}. If asked to, it polls for a while. Else the {@code
 *     WakeupGate} says "blocked", and the mechanism waits until the deadline. A virtual thread parks on the
 *     mechanism's descriptor, where there is one (epoll) and the JDK can (24+), or blocks its carrier for a short time
 *     ({@code VirtualWait}). Elsewhere it always blocks its carrier.
 * <li><b>Deliver</b> ({@code EventDelivery}). The cookie in an event holds descriptor and generation, which lead to
 *     the key through an array. An event that no key asks for disarms, and does not end the selection. An event
 *     without a key goes to the {@code Registrar}. All others go through the channel's own translation into our key
 *     set, or into the set that a framework has put in its place.
 * </ol>
 *
 * <p>Nothing is allocated on this way, except when an array grows or something fails.
 *
 * <h2>What a key carries</h2>
 *
 * <p>{@code SelectionKeyImpl} has three ints for selectors. {@code registeredEvents} holds the {@code KeyState}: events
 * armed and asked for, whether for one event only, and the generation. {@code index} is the key's place in {@code
 * SelectedKeySet}. {@code lastPolled} says whether the key is in the {@code UpdateQueue}.
 *
 * <h2>Locks, in this order</h2>
 *
 * <ol>
 * <li>the selector's monitor: one selection, or close, at a time; guards the classes of {@code internal.selector} and
 *     {@code PollSet}
 * <li>the monitor of the public set of selected keys, as the specification says; guards {@code SelectedKeySet}
 * <li>the JDK's cancelled keys, and a channel's key lock
 * <li>the monitor of the {@code UpdateQueue}, for a few instructions
 * <li>the wakeup lock of {@code PollSet}: a waker's system call against closing and replacing the descriptor that it
 *     writes to
 * </ol>
 *
 * <p>A {@code Poller} has one of its own, that of {@code Leadership}, before number 5. An interrupt arrives with a lock
 * of the JDK's thread held and takes number 5, so no thread calls {@code begin} or {@code end} with that lock.
 */
package dev.pollux.internal.selector;
