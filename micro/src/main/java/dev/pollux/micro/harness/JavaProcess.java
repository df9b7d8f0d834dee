// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.harness;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A virtual machine with this one's java command. Not thread-safe. */
public final class JavaProcess extends Child {
    /** Starts it with a temporary file for its standard error; see {@link #command} for the arguments. */
    public JavaProcess(List<String> options, Class<?> main, String... args) throws IOException {
        super(command(options, main, args));
    }

    /** Starts it in the folder of the file that its standard error goes to; see {@link #command} for the rest. */
    public JavaProcess(Path log, List<String> options, Class<?> main, String... args) throws IOException {
        super(log.toAbsolutePath().getParent().toFile(), log, command(options, main, args));
    }

    /**
     * The command line of a virtual machine with this one's class path.
     *
     * @param options of the java command; a class path among them replaces this one's
     * @param main the class with {@code main}
     * @param args what {@code main} is given
     */
    public static List<String> command(List<String> options, Class<?> main, String... args) {
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        List<String> command = new ArrayList<>(List.of(java, "-cp", System.getProperty("java.class.path")));
        command.addAll(options);
        command.add(main.getName());
        command.addAll(List.of(args));
        return command;
    }

    /** The system property that makes a class the provider of a virtual machine's selectors. */
    public static String provider(String name) {
        return "-Djava.nio.channels.spi.SelectorProvider=" + name;
    }

    /** Options that avoid warnings: JDK 24 and later warn when a native library is loaded. */
    public static List<String> quiet() {
        return Runtime.version().feature() < 24 ? List.of() : List.of("--enable-native-access=ALL-UNNAMED");
    }

    /** Ends all children of this process when it exits, so that an interrupted run leaves none behind. */
    public static void endAllOnExit() {
        Runtime.getRuntime().addShutdownHook(
                new Thread(() -> ProcessHandle.current().children().forEach(ProcessHandle::destroy)));
    }
}
