// SPDX-License-Identifier: Apache-2.0
package dev.pollux.loading;

import static java.util.Map.entry;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.tools.attach.VirtualMachine;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code java -jar pollux-tools.jar top}, on servers that run in virtual machines of their own. */
class TopIT {
    private static final String PROVIDER =
            "-Djava.nio.channels.spi.SelectorProvider=dev.pollux.PolluxSelectorProvider";
    private static final String ESCAPE = "\033";

    private Server server;

    @AfterEach
    void end() throws Exception {
        if (server != null) {
            server.close();
        }
    }

    @ParameterizedTest
    @MethodSource("dev.pollux.loading.Jdk#all")
    void aServerThatWasStartedWithThePropertyAloneIsShown(Jdk jdk) throws Exception {
        server = Server.on(jdk.java(), PROVIDER);
        Vm.Result result = top(jdk, server.pid(), "--once", "--stack").succeeds().warnsOfNothing()
                .says("SEL/S", "UTILIZATION", "The busiest is loop 1:", "BusyServer.serve");
        String row = result.out().lines().filter(line -> line.contains(" echo ")).findFirst().orElseThrow();
        Matcher cells = Pattern.compile(" +1 echo +epoll +2 +([\\d.]+) +([\\d.]+) +0 +0 \\[.{8}] +\\d+% .*")
                .matcher(row);
        assertTrue(cells.matches(), row);
        assertTrue(Double.parseDouble(cells.group(1)) > 0 && Double.parseDouble(cells.group(2)) > 0, row);
        result.says(" 2 temporary ", "  0% ", " idle ");
    }

    @ParameterizedTest
    @MethodSource("dev.pollux.loading.Jdk#all")
    void nothingIsLeftWhenItHasEnded(Jdk jdk) throws Exception {
        server = Server.on(jdk.java(), PROVIDER);
        Set<String> threads = server.threads();
        long sockets = server.sockets();
        top(jdk, server.pid(), "--once").succeeds();
        threads.add("Attach Listener"); // the VM's own, which listens on a socket, since top has attached
        assertTrue(server.comesToRun(threads), () -> threads + " became " + server.threads());
        assertEquals(sockets + 1, server.sockets());
    }

    @ParameterizedTest
    @MethodSource("dev.pollux.loading.Jdk#all")
    void theServerWarnsWhereTheJdkWantsIt(Jdk jdk) throws Exception {
        server = Server.on(jdk.java(), PROVIDER);
        top(jdk, server.pid(), "--once").succeeds();
        assertEquals(jdk.feature() >= 21, server.errors().contains("A Java agent has been loaded dynamically"));
    }

    @Test
    void jsonIsOneLineForScripts() throws Exception {
        server = Server.on(Jdk.running().java(), PROVIDER);
        String out = top(Jdk.running(), server.pid(), "--once", "--json", "--stack").succeeds().out();
        assertEquals(1, out.lines().count());
        Object loop = JsonReader.read(out, "loops", 0);
        assertEquals((double) server.pid(), JsonReader.read(out, "pid"));
        Instant time = Instant.parse((String) JsonReader.read(out, "time"));
        assertTrue(Duration.between(time, Instant.now()).abs().compareTo(Duration.ofMinutes(5)) < 0, out);
        assertEquals("echo", JsonReader.in(loop, "thread"));
        assertEquals("epoll", JsonReader.in(loop, "mechanism"));
        assertEquals(2.0, JsonReader.in(loop, "keys"));
        assertEquals(false, JsonReader.in(loop, "stalled"));
        assertTrue((double) JsonReader.in(loop, "selectionsPerSecond") > 0, out);
        assertTrue((double) JsonReader.in(loop, "utilization") <= 1, out);
        assertTrue(JsonReader.in(loop, "stack", 0) instanceof String, out);
        assertEquals(true, JsonReader.read(out, "loops", 1, "idle"));
    }

    @Test
    void itRefreshesUntilTheServerEnds() throws Exception {
        server = Server.on(Jdk.running().java(), PROVIDER);
        Process top = new ProcessBuilder(command("--json")).start();
        try (BufferedReader out = top.inputReader(); BufferedReader err = top.errorReader()) {
            out.readLine();
            JsonReader.read(out.readLine(), "loops", 0);
            server.close();
            assertEquals("process " + server.pid() + " has ended", err.readLine());
            assertEquals(1, exit(top));
        } finally {
            top.destroyForcibly();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"--json", "--stack"})
    void itEndsQuietlyWhenItsOutputIsNotReadAnyMore(String option) throws Exception {
        server = Server.on(Jdk.running().java(), PROVIDER);
        Process top = new ProcessBuilder(command(option)).start();
        try (BufferedReader err = top.errorReader()) {
            try (BufferedReader out = top.inputReader()) {
                out.readLine();
            }
            assertEquals(1, exit(top));
            assertNull(err.readLine());
        } finally {
            top.destroyForcibly();
        }
    }

    /** What a server does that was stopped while {@code top} attached, is continued, and finds no process waiting. */
    @ParameterizedTest
    @MethodSource("dev.pollux.loading.Jdk#all")
    void aServerThatComesTooLateToATopThatWasKilledIsNotTold(Jdk jdk) throws Exception {
        server = Server.on(jdk.java(), PROVIDER, "-XX:+EnableDynamicAgentLoading");
        String before = server.errors();
        VirtualMachine vm = VirtualMachine.attach(Long.toString(server.pid()));
        vm.loadAgent(ToolsJar.path(), "/nowhere/socket");
        vm.detach();
        assertEquals(before, server.errors());
        top(jdk, server.pid(), "--once").succeeds();
    }

    @Test
    void aTerminalOf80ColumnsShowsTheState() throws Exception {
        server = Server.on(Jdk.running().java(), PROVIDER);
        String shown = onTerminal("xterm");
        assertTrue(shown.startsWith(ESCAPE + "[H"), shown);
        Pattern row = Pattern.compile("(?m)^ +1 echo +2 .* (waiting|busy) [^ ]+ ms" + ESCAPE);
        assertTrue(row.matcher(shown).find(), shown);
        for (String line : shown.replaceAll(ESCAPE + "\\[[A-Z]", "").split("\r?\n")) {
            assertTrue(line.length() < 80, line);
        }
    }

    @Test
    void aTerminalThatKnowsNoEscapesGetsNone() throws Exception {
        server = Server.on(Jdk.running().java(), PROVIDER);
        String shown = onTerminal("dumb");
        assertFalse(shown.contains(ESCAPE), shown);
        assertTrue(shown.contains(" STATE"), shown);
    }

    @Test
    void keysNeedNoEnterAndTheModesOfTheTerminalAreRestored() throws Exception {
        server = Server.on(Jdk.running().java(), PROVIDER);
        assumeTrue(works("script", "--version") && works("stty", "--version"), "no program here makes a terminal");
        for (String end : new String[] {"q", "\003"}) {
            String[] shown = onTerminal("stty rows 24 cols 80; trap : INT; stty -g; TERM=xterm "
                    + String.join(" ", command()) + "; echo; stty -g",
                    List.of(entry(" 1 echo ", "s"), entry("The busiest is loop 1:", end))).split("\n");
            assertEquals(shown[0], shown[shown.length - 1]);
            assertTrue(List.of(shown).stream().anyMatch(line -> line.startsWith("gate: ")), end);
        }
    }

    /** What it shows on a terminal of this type until the user quits. */
    private String onTerminal(String type) throws Exception {
        assumeTrue(works("script", "--version"), "no program here makes a terminal");
        return onTerminal("stty rows 24 cols 80; TERM=" + type + " exec " + String.join(" ", command()),
                List.of(entry(" echo ", "q\n")));
    }

    /**
     * What a shell's command shows if each of these keys is pressed once the text before it is shown. Control-C has its
     * effect also where these tests run in the background, which shells let ignore it.
     */
    private static String onTerminal(String command, List<Map.Entry<String, String>> keys) throws Exception {
        Process script = new ProcessBuilder("env", "--default-signal=INT", "script", "-qec", command, "/dev/null")
                .start();
        try (BufferedReader out = script.inputReader(); BufferedWriter in = script.outputWriter()) {
            StringBuilder shown = new StringBuilder();
            int pressed = 0;
            for (String line = out.readLine(); line != null; line = out.readLine()) {
                shown.append(line).append('\n');
                if (pressed < keys.size() && line.contains(keys.get(pressed).getKey())) {
                    in.write(keys.get(pressed++).getValue());
                    in.flush();
                }
            }
            assertEquals(0, exit(script));
            return shown.toString();
        } finally {
            script.destroyForcibly();
        }
    }

    private List<String> command(String... options) {
        List<String> command = new ArrayList<>(List.of(Jdk.running().java().toString(), "-jar", ToolsJar.path(),
                "top", Long.toString(server.pid())));
        command.addAll(List.of(options));
        return command;
    }

    private static int exit(Process process) throws InterruptedException {
        assertTrue(process.waitFor(60, TimeUnit.SECONDS), "it goes on");
        return process.exitValue();
    }

    @Test
    void withoutAPidItListsVirtualMachines() throws Exception {
        server = Server.on(Jdk.running().java(), PROVIDER);
        String list = top(Jdk.running()).succeeds().out();
        assertTrue(list.matches("(?s).*\\b" + server.pid() + " yes    dev.pollux.*"), list);
        server.close();
        server = Server.on(Jdk.running().java());
        list = top(Jdk.running()).succeeds().out();
        assertTrue(list.matches("(?s).*\\b" + server.pid() + " -      dev.pollux.*"), list);
    }

    @Test
    void aVirtualMachineThatIsNotOnPolluxIsLeftAlone() throws Exception {
        server = Server.on(Jdk.running().java());
        Set<String> threads = server.threads();
        top(Jdk.running(), server.pid(), "--once").fails().warns("it is not on Pollux");
        assertEquals(threads, server.threads());
    }

    @Test
    void aServerThatForbidsAgentsIsNamed() throws Exception {
        server = Server.on(Jdk.running().java(), PROVIDER, "-XX:-EnableDynamicAgentLoading");
        top(Jdk.running(), server.pid()).fails().warns("-XX:-EnableDynamicAgentLoading");
    }

    /** The JDK's own tools send it a signal, on which it prints what its threads do. */
    @Test
    void aServerThatForbidsToAttachIsNamedAndLeftAlone() throws Exception {
        server = Server.on(Jdk.running().java(), PROVIDER, "-XX:+DisableAttachMechanism");
        Set<String> threads = server.threads();
        top(Jdk.running(), server.pid()).fails().warns("-XX:+DisableAttachMechanism");
        assertEquals(threads, server.threads());
    }

    @Test
    void aStoppedServerIsNamedAndLeftAlone() throws Exception {
        server = Server.on(Jdk.running().java(), PROVIDER);
        server.signal("STOP");
        try {
            top(Jdk.running(), server.pid(), "--once").fails().warns("kill -CONT " + server.pid());
        } finally {
            server.signal("CONT");
        }
        top(Jdk.running(), server.pid(), "--once").succeeds();
    }

    @Test
    void aRuntimeThatCannotAttachSaysSo() throws Exception {
        ToolsJar.run(Vm.on(Jdk.running()).with("--limit-modules", "java.base"), "top").fails()
                .warns("has no module jdk.attach");
    }

    @Test
    void aProcessThatHasEndedIsNamed() throws Exception {
        Process process = new ProcessBuilder("true").start();
        process.waitFor();
        top(Jdk.running(), process.pid()).fails().warns("there is no such process");
    }

    @Test
    void aProcessThatIsNoVirtualMachineIsNamedAndLives() throws Exception {
        rejects("it is not a Java virtual machine", "sleep", "600");
    }

    @Test
    void aProcessInAnotherContainerIsNamed() throws Exception {
        assumeTrue(isRoot() && works("unshare", "--mount", "true"), "namespaces can't be made here");
        rejects("it runs in another container", "unshare", "--mount", "sleep", "600");
    }

    @Test
    void aProcessOfAnotherUserIsNamed() throws Exception {
        if (isRoot()) {
            assumeTrue(works("setpriv", "--reuid=65534", "--clear-groups", "true"), "root can't be others here");
            rejects("it belongs to the user", "setpriv", "--reuid=65534", "--clear-groups", "sleep", "600");
        } else {
            top(Jdk.running(), 1).fails().warns("it belongs to the user root");
        }
    }

    @Test
    void aLoopCanBeChosenAndItsGateIsShown() throws Exception {
        server = Server.on(Jdk.running().java(), PROVIDER);
        String chosen = top(Jdk.running(), server.pid(), "--once", "--loop", "2").succeeds().out();
        assertTrue(chosen.contains("\nLoop 2") && chosen.contains("\ngate: "), chosen);
        String json = top(Jdk.running(), server.pid(), "--once", "--json", "--loop", "1").succeeds().out();
        assertTrue(JsonReader.read(json, "loops", 0, "stack", 0) instanceof String, json);
    }

    private static boolean isRoot() {
        return System.getProperty("user.name").equals("root");
    }

    private static boolean works(String... command) throws Exception {
        try {
            return new ProcessBuilder(command).start().waitFor() == 0;
        } catch (IOException e) {
            return false; // there is no such program
        }
    }

    private static void rejects(String reason, String... command) throws Exception {
        Process process = new ProcessBuilder(command).start();
        try {
            awaitProgram(process, "sleep");
            top(Jdk.running(), process.pid()).fails().warns(reason);
            assertTrue(process.isAlive());
        } finally {
            process.destroyForcibly();
        }
    }

    /** A command that starts another becomes it, once it has done its part. */
    private static void awaitProgram(Process process, String name) throws IOException, InterruptedException {
        while (!Files.readString(Path.of("/proc/" + process.pid() + "/comm")).startsWith(name)) {
            assertTrue(process.isAlive());
            Thread.sleep(10);
        }
    }

    private static Vm.Result top(Jdk jdk, long pid, String... options) throws Exception {
        String[] arguments = new String[options.length + 1];
        arguments[0] = Long.toString(pid);
        System.arraycopy(options, 0, arguments, 1, options.length);
        return top(jdk, arguments);
    }

    private static Vm.Result top(Jdk jdk, String... arguments) throws Exception {
        return ToolsJar.run(Vm.on(jdk), "top", arguments);
    }
}
