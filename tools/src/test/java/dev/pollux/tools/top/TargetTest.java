// SPDX-License-Identifier: Apache-2.0
package dev.pollux.tools.top;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.loading.program.BusyServer;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code top} does not wait for ever for the process that it looks at. */
class TargetTest {
    private static final Target TARGET = new Target(4711);

    @Test
    void anAnswerIsReturned() throws Exception {
        assertEquals("loops", TARGET.ask(() -> "loops", Target.MAX_WAIT_MILLIS));
    }

    @Test
    void aProcessThatDoesNotAnswerIsGivenUp() {
        CountDownLatch never = new CountDownLatch(1);
        IOException told = assertThrows(IOException.class, () -> TARGET.ask(() -> {
            never.await();
            return "";
        }, 50));
        assertTrue(told.getMessage().contains("kill -CONT 4711"), told.getMessage());
    }

    /** Else the Attach API would give up first, after 10 s, and leave the VM a signal that asks for its threads. */
    @Test
    void aVmThatIsStoppedWhileWeAttachPrintsNothingWhenItGoesOn(@TempDir Path folder) throws Exception {
        Process vm = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-cp",
                classPath(), BusyServer.class.getName())
                .directory(folder.toFile()).start(); // where the Attach API leaves a file
        try (BufferedReader out = vm.inputReader(); Writer in = vm.outputWriter()) {
            assertEquals("serving", out.readLine());
            signal("STOP", vm);
            assertThrows(IOException.class, () -> new Target(vm.pid()).ask(() -> {
                Attachment.load(new Target(vm.pid()), Path.of("/nowhere.jar"), Path.of("/nowhere"));
                return "";
            }, 11_000));
            signal("CONT", vm);
            in.write("threads\n");
            in.flush();
            assertTrue(out.readLine().contains(",echo,"));
        } finally {
            vm.destroyForcibly();
        }
    }

    /** In another folder, too. */
    private static String classPath() {
        return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
                .map(entry -> Path.of(entry).toAbsolutePath().toString())
                .collect(Collectors.joining(File.pathSeparator));
    }

    private static void signal(String name, Process process) throws Exception {
        assertEquals(0, new ProcessBuilder("sh", "-c", "kill -" + name + ' ' + process.pid()).start().waitFor());
    }

    @Test
    void whatGoesWrongIsTold() {
        IOException failure = new IOException("no file");
        assertSame(failure, assertThrows(IOException.class, () -> TARGET.ask(() -> {
            throw failure;
        }, Target.MAX_WAIT_MILLIS)));
    }
}
