// SPDX-License-Identifier: Apache-2.0
package dev.pollux.soak;

import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import javax.management.ObjectName;

/** The virtual machine's diagnostic commands, which jcmd(1) calls from outside. */
final class Diagnostics {
    private Diagnostics() {
    }

    static String run(String command, String... arguments) throws Exception {
        return (String) ManagementFactory.getPlatformMBeanServer().invoke(
                new ObjectName("com.sun.management:type=DiagnosticCommand"), command, new Object[] {arguments},
                new String[] {String[].class.getName()});
    }

    /** Gives back what the C library keeps of memory that was freed: else each thread's share would count as ours. */
    static void trimNativeHeap() throws Exception {
        ManagementFactory.getPlatformMBeanServer().invoke(new ObjectName("com.sun.management:type=DiagnosticCommand"),
                "systemTrimNativeHeap", new Object[0], new String[0]);
    }

    /** Writes all stacks into a file, and virtual threads' into another one beside it where there are any. */
    static void dumpStacks(Path file) {
        try {
            Files.writeString(file, run("threadPrint", "-l"));
            System.out.println("stacks: " + file);
            if (Site.JDK >= 21) {
                System.out.println(run("threadDumpToFile", "-overwrite", file + ".virtual"));
            }
        } catch (Exception e) {
            System.out.println("no stacks: " + e);
        }
    }
}
