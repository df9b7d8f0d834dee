// SPDX-License-Identifier: Apache-2.0
package dev.pollux;

/** Thrown by a {@link Poller} that is used after it was closed, or closed while it is in use. */
public class ClosedPollerException extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    /** Makes one. */
    public ClosedPollerException() {
        super("this Poller is closed");
    }
}
