// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.harness;

import com.google.gson.Gson;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A virtual machine with this one's java command. Not thread-safe. */
public final class JavaProcess extends Child {
    /** The system property that makes Pollux the provider of a virtual machine's selectors. */
    public static final String POLLUX = provider("dev.pollux.PolluxSelectorProvider");

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

    /** Options, and one that avoids a warning: JDK 24 and later warn when a native library is loaded. */
    public static List<String> quiet(String... options) {
        List<String> all = new ArrayList<>(List.of(options));
        if (Runtime.version().feature() >= 24) {
            all.add("--enable-native-access=ALL-UNNAMED");
        }
        return all;
    }

    /** Runs it to its end; see {@link #command} for the arguments. It prints a sample as JSON. */
    public static <S> S measure(Class<S> sample, List<String> options, Class<?> main, String... args)
            throws IOException {
        return new Gson().fromJson(Command.output(command(quiet(options.toArray(String[]::new)), main, args)), sample);
    }

    /** Ends all children of this process when it exits, so that an interrupted run leaves none behind. */
    public static void endAllOnExit() {
        Runtime.getRuntime().addShutdownHook(
                new Thread(() -> ProcessHandle.current().children().forEach(ProcessHandle::destroy)));
    }
}
