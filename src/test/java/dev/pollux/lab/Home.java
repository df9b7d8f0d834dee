// SPDX-License-Identifier: Apache-2.0
package dev.pollux.lab;

import java.net.URISyntaxException;
import java.nio.file.Path;

/** Where classes come from. */
public final class Home {
    private Home() {
    }

    /** {@return the folder or jar of this class} */
    public static Path of(Class<?> type) {
        try {
            return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }
}
