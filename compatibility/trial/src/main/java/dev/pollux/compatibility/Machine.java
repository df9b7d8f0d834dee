// SPDX-License-Identifier: Apache-2.0
package dev.pollux.compatibility;

import java.nio.file.Path;

/** A Java runtime. Immutable. */
record Machine(String version, Path java) {
    /** Of a command line's {@code 25.0.3=/path/of/java}. */
    static Machine parse(String argument) {
        int equals = argument.indexOf('=');
        return new Machine(argument.substring(0, equals), Path.of(argument.substring(equals + 1)));
    }

    int feature() {
        return Integer.parseInt(version.split("[.+-]")[0]);
    }
}
