// SPDX-License-Identifier: Apache-2.0
package dev.pollux.tools.common;

import java.io.File;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/** The command line of a program of this jar that runs in a virtual machine of its own. Stateless. */
public final class JavaCommand {
    private JavaCommand() {
    }

    /** {@return options that set those system properties that have one of these names and are set here} */
    public static List<String> properties(Predicate<String> names) {
        return System.getProperties().stringPropertyNames().stream().filter(names)
                .map(name -> "-D" + name + '=' + System.getProperty(name)).toList();
    }

    /** {@return the command line, for the same Java and the same class path} */
    public static List<String> of(Class<?> program, List<String> options) {
        List<String> command = new ArrayList<>();
        command.add(System.getProperty("java.home") + File.separator + "bin" + File.separator + "java");
        command.addAll(options);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), program.getName()));
        return command;
    }
}
