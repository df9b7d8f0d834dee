// SPDX-License-Identifier: Apache-2.0
package dev.pollux.loading;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import dev.pollux.internal.jni.Platform;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which folders of the jar are tried on which platform, and which C library this one has. */
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

    /** As in real maps: of a program by Debian's musl-gcc, of the same with a loader of Alpine's name, of JDK 17. */
    @ParameterizedTest
    @CsvSource({
        "true, /usr/lib/x86_64-linux-musl/libc.so",
        "true, /usr/lib/libc.so (deleted)",
        "true, /lib/ld-musl-x86_64.so.1",
        "true, /lib/ld-musl-x86_64.so.1 (deleted)",
        "true, /lib/libc.musl-x86_64.so.1",
        "false, /usr/lib/x86_64-linux-gnu/libc.so.6",
        "false, /usr/lib/x86_64-linux-gnu/libc.so.6 (deleted)",
        "false, /lib/x86_64-linux-gnu/libc-2.31.so",
        "false, /opt/ld-musl-tools/libc.so/java",
        "false, /usr/lib/jvm/java/lib/libc.so.jar",
    })
    void theCLibraryIsReadOffTheMap(boolean musl, String path) {
        assertEquals(musl, isMusl(path));
    }

    @Test
    void whatElseAProcessOfGlibcMapsDoesNotCount() {
        String glibc = "/usr/lib/x86_64-linux-gnu/libc.so.6";
        String loader = "/lib/ld-musl-x86_64.so.1";
        assertFalse(isMusl(glibc, loader));
        assertFalse(isMusl(loader, glibc));
    }

    private static boolean isMusl(String... libraries) {
        StringBuilder maps = new StringBuilder(
                "55cbead5a000-55cbead5b000 r-xp 00001000 fe:00 5318887                    /usr/bin/java\n"
                + "55cbf579b000-55cbf579c000 ---p 00000000 00:00 0                          [heap]\n"
                + "7f55d6f04000-7f55d6f05000 rw-p 00000000 00:00 0 \n");
        for (String library : libraries) {
            maps.append("7f55d6f22000-7f55d6f85000 r-xp 00015000 fe:00 884825                     ")
                    .append(library).append('\n');
        }
        maps.append("7f55d6f0b000-7f55d6f0d000 r-xp 00000000 00:00 0                          [vdso]\n");
        return Platform.isMusl(maps.toString());
    }
}
