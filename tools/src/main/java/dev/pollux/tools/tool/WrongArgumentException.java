// SPDX-License-Identifier: Apache-2.0
package dev.pollux.tools.tool;

import java.io.IOException;

/** The command line is wrong; the message says why. */
public final class WrongArgumentException extends IOException {
    private static final long serialVersionUID = 1;

    public WrongArgumentException(String message) {
        super(message);
    }
}
