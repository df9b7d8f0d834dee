// SPDX-License-Identifier: Apache-2.0
package dev.pollux.loading.program;

import dev.pollux.internal.jdk.JdkAccess;
import java.io.IOException;

/** Asks for access on a JDK that offers native code no way to open a package. */
public final class NoOpener {

    private NoOpener() {
    }

    /** Prints what comes of it. */
    public static void main(String[] arguments) {
        try {
            System.out.println("access " + JdkAccess.acquire((base, to) -> -1));
        } catch (IOException e) {
            System.out.println("IOException " + e.getMessage());
        }
    }
}
