// SPDX-License-Identifier: Apache-2.0
package dev.pollux.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Has functions of JNI that allocate fail, as if memory had run out: one call of one thread, by whatever native code.
 * The methods are for any thread, and are about the calling one.
 */
public final class FailingJni {
    private static final Path SOURCE = Path.of("src/test/native/jni/failing_jni.c");

    /** A class of its own, so that it is loaded once. */
    private static final class Library {
        static final boolean IS_LOADED = load();

        private static boolean load() {
            try {
                Path library = Files.createTempFile("failing_jni", ".so");
                String include = System.getProperty("java.home") + "/include";
                assertEquals(0, new ProcessBuilder("cc", "-std=c11", "-O2", "-Wall", "-Wextra", "-Werror", "-fPIC",
                        "-shared", "-I" + include, "-I" + include + "/linux", "-o", library.toString(),
                        SOURCE.toString()).inheritIO().start().waitFor());
                System.load(library.toString());
                Files.delete(library);
                return true;
            } catch (IOException | InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    private FailingJni() {
    }

    /** Skips the test where this can't be built. Before this, nothing fails. */
    public static void needed() throws Exception {
        assumeTrue(Descriptors.PROC && Files.exists(SOURCE)
                && Files.exists(Path.of(System.getProperty("java.home"), "include/jvmti.h"))
                && new ProcessBuilder("sh", "-c", "command -v cc").start().waitFor() == 0,
                "no C compiler, no headers of the JDK, or no source");
        assertEquals(true, Library.IS_LOADED);
    }

    /** The nth call from now on fails, and none after it; 0: none at all. */
    public static native void failAt(int nth);

    /** {@return how many more calls there are until one fails} 0: one has failed, or none is to. */
    public static native int left();
}
