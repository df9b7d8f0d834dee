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

    /** Prints all stacks, virtual threads' too where there are any. */
    static void printStacks(Path folder) {
        try {
            System.out.println(run("threadPrint", "-l"));
            if (Site.JDK >= 21) {
                Path file = folder.resolve("threads");
                run("threadDumpToFile", file.toString());
                System.out.println(Files.readString(file));
            }
        } catch (Exception e) {
            System.out.println("no stacks: " + e);
        }
    }
}
