// SPDX-License-Identifier: Apache-2.0
package dev.pollux.loading.program;

import dev.pollux.Poller;
import java.net.DatagramSocket;
import java.net.ServerSocket;
import java.nio.channels.Selector;
import java.util.Set;
import java.util.TreeSet;

/** Tells which packages of java.base are open to the class path before and after Pollux is used, to whatever end. */
public final class OpenPackages {
    private OpenPackages() {
    }

    /** Prints the packages, and whether this class, which has nothing to do with Pollux, gets the internal Unsafe. */
    public static void main(String[] arguments) throws Exception {
        Set<String> before = open();
        System.out.println("before " + before);
        try (Selector selector = Selector.open(); Poller poller = new Poller();
                ServerSocket server = new ServerSocket(0); DatagramSocket datagram = new DatagramSocket(0)) {
            poller.add(server, Poller.POLLIN, null);
            poller.add(datagram, Poller.POLLIN, null);
            selector.selectNow();
            selectInVirtualThread(selector);
        }
        Set<String> added = open();
        added.removeAll(before);
        System.out.println("added " + added);
        try {
            Class.forName("jdk.internal.misc.Unsafe").getMethod("getUnsafe").invoke(null);
            System.out.println("Unsafe for everybody");
        } catch (IllegalAccessException refused) {
            System.out.println("Unsafe refused");
        }
    }

    private static Set<String> open() {
        Set<String> open = new TreeSet<>();
        Module base = Object.class.getModule();
        for (String name : base.getPackages()) {
            if (base.isOpen(name, OpenPackages.class.getModule())
                    || name.startsWith("jdk.internal.") && base.isExported(name, OpenPackages.class.getModule())) {
                open.add(name);
            }
        }
        return open;
    }

    /** By reflection: the tests are compiled for a JDK that has no virtual threads. */
    private static void selectInVirtualThread(Selector selector) throws Exception {
        if (Runtime.version().feature() >= 21) {
            Runnable select = () -> {
                try {
                    selector.select(100);
                } catch (java.io.IOException e) {
                    throw new java.io.UncheckedIOException(e);
                }
            };
            ((Thread) Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, select)).join();
        }
    }
}
