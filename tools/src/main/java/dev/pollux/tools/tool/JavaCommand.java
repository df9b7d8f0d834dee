// SPDX-License-Identifier: Apache-2.0
package dev.pollux.tools.tool;

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

    /** {@return the command line, for the same Java and the same class path or module path} */
    public static List<String> of(Class<?> program, List<String> options) {
        List<String> command = new ArrayList<>();
        command.add(System.getProperty("java.home") + File.separator + "bin" + File.separator + "java");
        command.addAll(options);
        Module module = program.getModule();
        if (!module.isNamed()) {
            command.addAll(List.of("-cp", System.getProperty("java.class.path"), program.getName()));
            return command;
        }
        String path = System.getProperty("jdk.module.path"); // none in an image of jlink
        if (path != null) {
            command.addAll(List.of("-p", path));
        }
        command.addAll(List.of("-m", module.getName() + '/' + program.getName()));
        return command;
    }
}
