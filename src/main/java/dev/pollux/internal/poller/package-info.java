// SPDX-License-Identifier: Apache-2.0
/**
 * What is behind {@link dev.pollux.Poller}: members, and threads that take turns as leader (Leader/Followers). One
 * monitor, that of {@code Leadership}, guards all of it.
 */
package dev.pollux.internal.poller;
