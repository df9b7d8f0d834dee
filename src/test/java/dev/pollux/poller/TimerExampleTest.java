// SPDX-License-Identifier: Apache-2.0
package dev.pollux.poller;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.pollux.Poller;
import dev.pollux.lab.Home;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;

/** The timer on the page about the Poller: compiled as it stands there, and run. */
class TimerExampleTest {
    private static final Path PAGE = Path.of("docs", "poller.md");

    private static final String BEFORE = """
            import static java.lang.foreign.ValueLayout.*;
            import dev.pollux.*;
            import java.lang.foreign.*;
            import java.lang.invoke.*;
            import java.util.concurrent.TimeUnit;

            public class TimerExample {
                public static void run(Poller poller) throws Throwable {
            """;

    private static final String AFTER = """
                }
            }
            """;

    @TempDir
    static Path folder;

    @BeforeAll
    static void compile() throws Exception {
        assumeTrue(Runtime.version().feature() >= 22, "this Java has no java.lang.foreign yet");
        assumeTrue(System.getProperty("os.name").equals("Linux"), "only Linux has timerfds");
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        assumeTrue(compiler != null, "this Java has no compiler");
        Path file = folder.resolve("TimerExample.java");
        Files.writeString(file, BEFORE + example() + AFTER);
        assertEquals(0, compiler.run(null, null, null, "-Xlint:all,-restricted", "-Werror", "-proc:none",
                "-cp", Home.of(Poller.class).toString(), "-d", folder.toString(), file.toString()));
    }

    /** What stands in the block of code that opens a timer. */
    private static String example() throws IOException {
        for (String block : Files.readString(PAGE).split("```java\n")) {
            if (block.contains("timerfd_create")) {
                return block.substring(0, block.indexOf("```"));
            }
        }
        throw new AssertionError("no timer in " + PAGE);
    }

    @EachMechanism
    void theTimerGoesOff(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        ByteArrayOutputStream said = new ByteArrayOutputStream();
        PrintStream out = System.out;
        System.setOut(new PrintStream(said, true));
        try (URLClassLoader loader = new URLClassLoader(new URL[] {folder.toUri().toURL()},
                TimerExampleTest.class.getClassLoader())) {
            loader.loadClass("TimerExample").getMethod("run", Poller.class).invoke(null, poller);
        } finally {
            System.setOut(out);
        }
        assertTrue(said.toString(UTF_8).matches("[1-9][0-9]* times\\R"), said.toString(UTF_8));
        assertEquals(0, poller.size());
    }
}
