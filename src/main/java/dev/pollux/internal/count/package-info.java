// SPDX-License-Identifier: Apache-2.0
/**
 * What loops tell of themselves: {@code LoopStatistics} has a number for each {@code Counter}, {@code Loops} has all
 * loops that are open. It knows nothing of who looks at that: a {@code LoopObserver} is told by the loop's own thread.
 */
package dev.pollux.internal.count;
