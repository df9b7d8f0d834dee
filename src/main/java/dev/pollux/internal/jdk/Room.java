// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.jdk;

import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.lang.ref.Reference;
import java.util.List;

/**
 * Whether there is room for what is done for the first time. At a limit of descriptors, heap or stack the initialiser
 * of a class may fail, and then no code can use that class any more: not ours, and not the application's. So we
 * look for room first, and what lacks it is done later. Stateless. Allocates what it looks for.
 */
public final class Room {
    /**
     * Descriptors, blocks that a collector takes for ordinary objects, and frames. Few descriptors, since an
     * application that needs one at this moment does not get it.
     */
    private static final int DESCRIPTORS = 4, BLOCKS = 64, BLOCK_BYTES = 16 * 1024, FRAMES = 1024;

    /** Stack for initialisers, generously. */
    private static final int INITIALISER_FRAMES = 512;

    private static final File NO_FILE = new File("/dev/null");

    private Room() {
    }

    /** {@return whether there is} */
    public static boolean isThere() {
        try {
            Room.requireStack(FRAMES);
            requireMemory(BLOCKS);
            requireDescriptors(DESCRIPTORS);
            return true;
        } catch (SecurityException e) {
            return true; // a policy forbids to look
        } catch (IOException | OutOfMemoryError | StackOverflowError e) {
            return false;
        }
    }

    /**
     * Has a StackOverflowError, if there must be one, come before work that must not break off in the middle. Uses this
     * number of small frames: the interpreter takes about 100 bytes for each, compiled code about 30.
     */
    public static int requireStack(int frames) {
        return frames == 0 ? 0 : 1 + requireStack(frames - 1); // not a tail call: each frame is in use
    }

    /** Has an OutOfMemoryError, if there must be one, come here. Looks for this number of blocks of 16 KiB. */
    public static void requireMemory(int blocks) {
        Reference.reachabilityFence(new byte[blocks][BLOCK_BYTES]);
    }

    /** Initialises classes here, where all they need is there, instead of where they happen to be used first. */
    public static void initialize(List<Class<?>> classes) {
        requireStack(INITIALISER_FRAMES);
        for (Class<?> each : classes) {
            try {
                Class.forName(each.getName(), true, each.getClassLoader());
            } catch (ClassNotFoundException e) {
                throw new LinkageError(e.toString(), e); // it is there; an error that the VM has loaded already
            }
        }
    }

    /** Opens this number of descriptors at the same time, and closes them again. Where there is no /dev/null, none. */
    public static void requireDescriptors(int count) throws IOException {
        close(reserve(count));
    }

    /** {@return this number of descriptors, to be {@linkplain #close closed} when others are needed} */
    public static FileInputStream[] reserve(int count) throws IOException {
        FileInputStream[] opened = new FileInputStream[NO_FILE.canRead() ? count : 0];
        try {
            for (int i = 0; i < opened.length; i++) {
                opened[i] = new FileInputStream(NO_FILE);
            }
            return opened;
        } catch (IOException | RuntimeException | Error e) {
            close(opened);
            throw e;
        }
    }

    public static void close(FileInputStream... opened) throws IOException {
        for (FileInputStream each : opened) {
            if (each != null) {
                each.close();
            }
        }
    }
}
