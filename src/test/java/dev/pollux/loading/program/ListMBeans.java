// SPDX-License-Identifier: Apache-2.0
package dev.pollux.loading.program;

import java.lang.management.ManagementFactory;
import java.nio.channels.Selector;
import javax.management.MBeanServer;
import javax.management.ObjectName;

/** Prints the names of Pollux's MBeans, before and after it has opened a selector, and how many loops they show. */
public final class ListMBeans {
    private ListMBeans() {
    }

    /** Prints them. */
    public static void main(String[] arguments) throws Exception {
        MBeanServer server = ManagementFactory.getPlatformMBeanServer();
        ObjectName all = new ObjectName("dev.pollux:*");
        System.out.println("before " + server.queryNames(all, null));
        try (Selector selector = Selector.open()) {
            selector.selectNow();
            System.out.println("after " + server.queryNames(all, null));
            for (ObjectName each : server.queryNames(all, null)) {
                System.out.println("open " + server.getAttribute(each, "Open"));
            }
        }
    }
}
