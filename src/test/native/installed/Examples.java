// SPDX-License-Identifier: Apache-2.0
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/** The examples of the C library, linked in one way, on each mechanism. Not thread-safe. */
final class Examples {
    private static final Path SOURCES = Path.of("src/main/native/example");
    private static final Path PROGRAMS = Path.of("src/test/native/installed");

    /** More than sockets hold (net.ipv4.tcp_rmem, tcp_wmem). */
    private static final byte[] MUCH = new byte[100_000_000];
    private static final String KNOWN = "there are epoll, poll, io_uring for arenas, and no others";

    private final Checks checks;
    private final Library library;
    private final Library.Kind kind;
    private final Path dir;

    Examples(Checks checks, Library library, Library.Kind kind, Path dir) {
        this.checks = checks;
        this.library = library;
        this.kind = kind;
        this.dir = dir;
        new Random().nextBytes(MUCH);
    }

    void compile() throws IOException, InterruptedException {
        if (kind == Library.Kind.EMULATED) {
            checks.check("the examples compile, with the emulations", () ->
                    Library.make("-C", "src/test/native", "examples", "OUT=" + dir,
                            "ALSO=installed/list.c installed/arenas.c").output());
            return;
        }
        Files.createDirectories(dir);
        compile("a program", PROGRAMS.resolve("list.c"));
        compile("the example", SOURCES.resolve("echo.c"));
        compile("a program with an arena", PROGRAMS.resolve("arenas.c"));
        compile("the example of an arena", SOURCES.resolve("batches.c"));
        compile("the example of several sources", SOURCES.resolve("sources.c"), "-std=gnu11");
        saysThatThereIsNoMechanism("echo", "plx_open");
        saysThatThereIsNoMechanism("batches", "plx_arena_open");
    }

    private void compile(String what, Path source, String... flags) {
        String name = source.getFileName().toString().replace(".c", "");
        checks.check(what + " compiles, " + kind, () -> library.compile(kind, source, dir.resolve(name), flags));
    }

    void use() throws IOException, InterruptedException {
        for (String mechanism : library.running(kind, dir.resolve("list")).output().strip().split(",")) {
            checks.check("the example echoes, " + kind + ", " + mechanism, () -> bytesComeBack("echo", mechanism));
            checks.check("several sources are waited for, " + kind + ", " + mechanism, () ->
                    answersWhileItWaits(mechanism));
        }
        for (String mechanism : library.running(kind, dir.resolve("arenas")).output().split("\n")) {
            checks.check("the arena echoes, " + kind + ", " + mechanism, () -> bytesComeBack("batches", mechanism));
        }
    }

    private void saysThatThereIsNoMechanism(String name, String call) {
        checks.check("the example says that there is no such mechanism, " + name + ", " + kind, () -> {
            Command.Result result = library.running(kind, dir.resolve(name), 0, "selekt").result();
            Checks.expectEqual(name + ": " + call + ": No such device (ENODEV): no such mechanism; " + KNOWN + "\n",
                    result.output());
            Checks.expectEqual(1, result.status());
        });
    }

    /** One client sends much and reads nothing, until another one has been served. */
    private void bytesComeBack(String name, String mechanism) throws Exception {
        try (Server server = Server.start(library, kind, dir.resolve(name), mechanism, dir.resolve(name + ".log"));
                Socket slow = server.connect(); Socket quick = server.connect()) {
            CompletableFuture<Void> written = CompletableFuture.runAsync(() -> send(slow, MUCH));
            for (String line : new String[] {"one\n", "two\n", "three\n"}) {
                send(quick, line.getBytes(StandardCharsets.US_ASCII));
                Checks.expectEqual(line, new String(quick.getInputStream().readNBytes(line.length()),
                        StandardCharsets.US_ASCII));
            }
            server.awaitRest();
            receiveMuch(slow);
            written.get(1, TimeUnit.MINUTES);
            server.end();
        }
    }

    private static void receiveMuch(Socket socket) throws IOException {
        byte[] part = new byte[1_000_000];
        for (int at = 0; at < MUCH.length; at += part.length) {
            Checks.expectEqual(part.length, socket.getInputStream().readNBytes(part, 0, part.length));
            Checks.expect(Arrays.equals(part, 0, part.length, MUCH, at, at + part.length), "other bytes come back");
        }
    }

    private static void send(Socket socket, byte[] bytes) {
        try {
            socket.getOutputStream().write(bytes);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** An example with a timer, a command's output and a socket. The command waits until the timer has counted. */
    private void answersWhileItWaits(String mechanism) throws IOException, InterruptedException {
        Path gate = dir.resolve("gate");
        Files.deleteIfExists(gate);
        Pattern counted = Pattern.compile("[1-9]\\d* s, 6 bytes, question \\d+\\s*");
        String command = "echo begun; until [ -e '" + gate + "' ]; do sleep 0.1; done; echo ended";
        Path output = dir.resolve("sources.out");
        Process sources = null;
        try (DatagramSocket socket = new DatagramSocket()) {
            String answer = "";
            for (int i = 0; i < 200 && !counted.matcher(answer).matches(); i++) {
                if (sources == null || !sources.isAlive()) { // another program may have taken the port
                    int port = Server.freePort();
                    sources = library.running(kind, dir.resolve("sources"), port, command, mechanism).builder
                            .redirectErrorStream(false).redirectError(ProcessBuilder.Redirect.INHERIT)
                            .redirectOutput(output.toFile()).start();
                    socket.connect(InetAddress.getByName("127.0.0.1"), port);
                }
                answer = answer(socket);
                Thread.sleep(50);
            }
            Files.createFile(gate);
            Checks.expectEqual(0, sources.waitFor());
            Checks.expectEqual("begun\nended\n", Files.readString(output));
            Checks.expect(counted.matcher(answer).matches(), "answered: " + answer);
        } finally {
            if (sources != null) {
                sources.destroyForcibly();
            }
        }
    }

    /** {@return nothing if it is refused, since the example is not there yet} */
    private static String answer(DatagramSocket socket) {
        DatagramPacket answer = new DatagramPacket(new byte[200], 200);
        try {
            socket.setSoTimeout(500);
            socket.send(new DatagramPacket(new byte[] {'\n'}, 1));
            socket.receive(answer);
        } catch (IOException e) {
            return "";
        }
        return new String(answer.getData(), 0, answer.getLength(), StandardCharsets.US_ASCII);
    }
}
