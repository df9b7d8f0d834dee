// SPDX-License-Identifier: Apache-2.0
package dev.pollux.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.pollux.lab.Home;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;

/** The programs of the page on StreamServer and beside it, compiled as they stand there, and run by tests. */
final class PageExamples {
    static final Path PAGE = Path.of("docs", "server.md");
    private static final Path EXAMPLES = Path.of("docs", "examples");

    private static final String PROPERTY = "dev.pollux.server.mechanism";
    private static final String IMPORTS = """
            import dev.pollux.server.*;
            import java.io.*;
            import java.net.*;
            import java.nio.*;
            import java.nio.charset.*;
            import java.time.*;
            """;

    private final Path folder;

    /** Compiles them into a folder. */
    PageExamples(Path folder) throws Exception {
        this.folder = folder;
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        assumeTrue(compiler != null, "this Java has no compiler");
        List<String> arguments = new ArrayList<>(List.of("-Xlint:all", "-Werror", "-proc:none", "-cp",
                Home.of(StreamServer.class).toString(), "-d", folder.toString()));
        Matcher block = Pattern.compile("(?ms)^```java\n(.*?final class (\\w+).*?)^```")
                .matcher(Files.readString(PAGE));
        while (block.find()) {
            Path file = folder.resolve(block.group(2) + ".java");
            Files.writeString(file, IMPORTS + block.group(1));
            arguments.add(file.toString());
        }
        try (Stream<Path> files = Files.list(EXAMPLES)) {
            files.map(Path::toString).filter(name -> name.endsWith(".java")).forEach(arguments::add);
        }
        assertEquals(0, compiler.run(null, null, null, arguments.toArray(new String[0])));
    }

    /** Starts one on the mechanism that the system property names: it names none itself. */
    StreamServer start(ServerLab lab, String name, Object... arguments) throws Exception {
        URLClassLoader loader = lab.opened(new URLClassLoader(new URL[] {folder.toUri().toURL()},
                PageExamples.class.getClassLoader()));
        Method start = Stream.of(loader.loadClass(name).getDeclaredMethods())
                .filter(method -> method.getName().equals("start")).findAny().orElseThrow();
        start.setAccessible(true);
        System.setProperty(PROPERTY, lab.mechanism());
        try {
            return lab.opened((StreamServer) start.invoke(null, arguments));
        } finally {
            System.clearProperty(PROPERTY);
        }
    }
}
