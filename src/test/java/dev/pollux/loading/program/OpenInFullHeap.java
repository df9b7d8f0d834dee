// SPDX-License-Identifier: Apache-2.0
package dev.pollux.loading.program;

import java.io.IOException;
import java.nio.channels.Selector;
import java.nio.channels.spi.SelectorProvider;
import java.util.ArrayList;
import java.util.List;

/** Opens its first selectors in a heap that is full, then one in a heap that is not. */
public final class OpenInFullHeap {
    private static final int BLOCK = 4096;

    private OpenInFullHeap() {
    }

    /** Takes how many kilobytes are free at each try; prints what came of the tries, and of the last one. */
    public static void main(String[] arguments) throws Exception {
        SelectorProvider provider = SelectorProvider.provider();
        Object[] ballast = new Object[(int) (Runtime.getRuntime().maxMemory() / BLOCK)];
        int failures = 0;
        for (String kilobytes : arguments) {
            fill(ballast, Integer.parseInt(kilobytes) * 1024 / BLOCK);
            failures += opens(provider) ? 0 : 1;
            for (int i = 0; i < ballast.length; i++) {
                ballast[i] = null; // by hand: a method that was never called may take memory
            }
        }
        System.out.println("failed " + (failures > 0) + ": " + failures + " of " + arguments.length);
        List<Selector> later = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            later.add(provider.openSelector());
        }
        for (Selector selector : later) {
            selector.wakeup();
            System.out.println("later selected " + selector.select(10_000));
            selector.close();
        }
        Probe.main(arguments);
    }

    private static boolean opens(SelectorProvider provider) {
        try {
            provider.openSelector().close();
            return true;
        } catch (OutOfMemoryError | IOException e) {
            return false;
        }
    }

    private static void fill(Object[] ballast, int leaveOut) {
        int count = 0;
        try {
            while (true) {
                ballast[count] = new byte[BLOCK];
                count++;
            }
        } catch (OutOfMemoryError full) {
            for (int i = 0; i < leaveOut && count > 0; i++) {
                ballast[--count] = null;
            }
        }
    }
}
