// SPDX-License-Identifier: Apache-2.0
package dev.pollux.architecture;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.Poller;
import dev.pollux.lab.Home;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the documentation shows in Java compiles. */
class DocumentationTest {
    private static final Pattern BLOCK = Pattern.compile("^```java\n(.*?)^```$", Pattern.MULTILINE | Pattern.DOTALL);

    /** What a block needs that is for JDK 22 and later; the test of that example compiles and runs it. */
    private static final String NEWER = "Linker.nativeLinker()";

    /** What a reader is expected to have around a block; a block may declare the same names anew. */
    private static final String FRAME = """
            import dev.pollux.*;
            import java.io.*;
            import java.net.*;
            import java.nio.*;
            import java.nio.channels.*;
            import java.util.Set;
            import java.util.concurrent.*;

            abstract class %s {
                Poller poller, outer;
                Poller.Handler handler;
                Poller.Member member;
                SocketChannel connection;
                Session session;
                Socket socket1;
                Object client;
                ByteBuffer buffer, reply;
                byte[] bytes;
                int timerfd;
                long timeout;

                interface Session {
                    ByteBuffer unsent();

                    SocketChannel channel();

                    void queue(ByteBuffer reply);
                }

                void shown() throws IOException {
            %s
                }
            }
            """;

    @TempDir
    private Path classes;

    @Test
    void thePollersReadmeCompiles() throws IOException {
        compiles(Path.of("docs", "poller.md"));
    }

    @Test
    void whatDoesNotCompileIsFound() {
        assertNotEquals("", messages(List.of("poller.modify(connection, Poller.POLLIN);")));
    }

    private void compiles(Path page) throws IOException {
        List<String> blocks = blocks(Files.readString(page));
        assertTrue(!blocks.isEmpty(), "no Java in " + page);
        assertEquals("", messages(blocks));
    }

    private static List<String> blocks(String page) {
        return BLOCK.matcher(page).results().map(block -> block.group(1)).filter(block -> !block.contains(NEWER))
                .collect(Collectors.toList());
    }

    /** What the compiler says of blocks, which are statements; nothing if they compile. */
    private String messages(List<String> blocks) {
        List<JavaFileObject> sources = new ArrayList<>();
        for (String block : blocks) {
            String name = "Block" + sources.size();
            sources.add(source(name, FRAME.formatted(name, block)));
        }
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        DiagnosticCollector<JavaFileObject> found = new DiagnosticCollector<>();
        compiler.getTask(null, null, found, List.of("-proc:none", "-d", classes.toString(), "-cp", classPath()), null,
                sources).call();
        return found.getDiagnostics().stream().filter(each -> each.getKind() == Diagnostic.Kind.ERROR)
                .map(Diagnostic::toString).collect(Collectors.joining("\n"));
    }

    private static JavaFileObject source(String name, String text) {
        return new SimpleJavaFileObject(URI.create("string:///" + name + ".java"), JavaFileObject.Kind.SOURCE) {
            @Override
            public CharSequence getCharContent(boolean ignoreEncodingErrors) {
                return text;
            }
        };
    }

    private static String classPath() {
        return Home.of(Poller.class).toString();
    }
}
