// SPDX-License-Identifier: Apache-2.0
package dev.pollux.compatibility;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A module of Maven's that tries one framework, after its build. Its {@code pom.xml} says all that is peculiar. */
record Module(Path folder, String pom, String classPath) {
    static Module in(Path folder) throws IOException {
        return new Module(folder, Files.readString(folder.resolve("pom.xml")),
                Files.readString(folder.resolve("target/classpath")).strip());
    }

    String name() {
        return folder.getFileName().toString();
    }

    String title() {
        return element("name", name());
    }

    /** {@return the version that runs, by the class path} */
    String version() {
        Matcher jar = Pattern.compile("/" + Pattern.quote(element("framework.artifact", ""))
                + "-(\\d[^/]*)\\.jar").matcher(classPath);
        return jar.find() ? jar.group(1) : "unknown";
    }

    /** {@return what the trial does, in a few words} */
    String load() {
        return element("framework.load", "HTTP server");
    }

    /** {@return what a reader must know of this framework, or an empty string} */
    String note() {
        return element("framework.note", "");
    }

    /**
     * {@return the command that tries it}
     *
     * @param pollux Pollux's jar, or null for the JDK's own selectors
     */
    List<String> command(Machine machine, Path pollux) {
        List<String> command = new ArrayList<>(List.of(machine.java().toString(), "-Xmx512m"));
        String options = element("framework.options", "");
        if (!options.isEmpty()) {
            Collections.addAll(command, options.split("\\s+"));
        }
        if (isOneJar()) {
            command.addAll(List.of("-jar", oneJar().toString()));
            return command;
        }
        String path = folder.resolve("target/classes") + File.pathSeparator + classPath;
        if (pollux != null) {
            command.add("-Djava.nio.channels.spi.SelectorProvider=dev.pollux.PolluxSelectorProvider");
            command.add("-Ddev.pollux.jmx=true");
            command.add("--enable-native-access=ALL-UNNAMED");
            path += File.pathSeparator + pollux;
        }
        command.addAll(List.of("-cp", path, "dev.pollux.compatibility.framework.Main"));
        return command;
    }

    /** {@return what {@code JAVA_TOOL_OPTIONS} must be, for a program whose command line nobody may change} */
    String toolOptions(Path pollux) {
        return isOneJar() && pollux != null
                ? "-javaagent:" + pollux + "=jmx --enable-native-access=ALL-UNNAMED" : "";
    }

    private boolean isOneJar() {
        return pom.contains("<goal>repackage</goal>");
    }

    private Path oneJar() {
        return folder.resolve("target").resolve(name() + ".jar");
    }

    private String element(String name, String otherwise) {
        // The parent's coordinates come first, but they have no name.
        Matcher element = Pattern.compile("<" + Pattern.quote(name) + ">([^<]*)<").matcher(pom);
        return element.find() ? element.group(1).strip().replaceAll("\\s+", " ") : otherwise;
    }
}
