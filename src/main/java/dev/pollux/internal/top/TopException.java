// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.top;

/** Why {@code top} can't do what it was asked to, in words for its user. */
final class TopException extends Exception {
    static final int CANNOT = 1;
    static final int USAGE = 2;

    private static final long serialVersionUID = 1;

    private final int exitCode;

    TopException(String message) {
        this(message, CANNOT);
    }

    TopException(String message, int exitCode) {
        super(message);
        this.exitCode = exitCode;
    }

    int exitCode() {
        return exitCode;
    }
}
