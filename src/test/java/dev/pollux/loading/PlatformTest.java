// SPDX-License-Identifier: Apache-2.0
package dev.pollux.loading;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.pollux.internal.jni.Platform;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Which folders of the jar are tried on which platform. */
class PlatformTest {

    @Test
    void glibcComesFirstOnGlibc() {
        assertEquals(List.of("linux-aarch64", "linux-aarch64-musl"),
                new Platform("linux", "aarch64", false).folders());
    }

    @Test
    void muslComesFirstOnMusl() {
        assertEquals(List.of("linux-x86_64-musl", "linux-x86_64"), new Platform("linux", "x86_64", true).folders());
    }

    @Test
    void otherSystemsHaveOneFolder() {
        assertEquals(List.of("macos-aarch64"), new Platform("macos", "aarch64", false).folders());
    }
}
