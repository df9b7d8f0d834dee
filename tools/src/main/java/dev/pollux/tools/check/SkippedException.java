// SPDX-License-Identifier: Apache-2.0
package dev.pollux.tools.check;

/** A check can't be made here; the message says why. */
final class SkippedException extends Exception {
    private static final long serialVersionUID = 1L;

    SkippedException(String message) {
        super(message);
    }
}
