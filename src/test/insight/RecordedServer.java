// SPDX-License-Identifier: Apache-2.0
import dev.pollux.micro.apps.server.ServerProcess;
import java.io.IOException;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import jdk.jfr.consumer.RecordingFile;

/** A virtual machine on Pollux that records. Its log and its recording stay in the folder. Not thread-safe. */
final class RecordedServer implements AutoCloseable {
    private static final Pattern ACCUSATION =
            Pattern.compile("(?:elector|oller|erver) \\d+ \\(.*(?:is blocked|spins|is woken)|No thread selects from");

    final String name;
    final int port = ServerProcess.freePort();
    private final Path log;
    private final Path recording;
    private final Process process;

    /**
     * Starts it.
     *
     * @param files the beginning of the names of its files
     * @param java  the command up to the options of this server
     * @param rest  further arguments; PORT stands for its port
     */
    RecordedServer(String name, Path files, List<String> java, Object... rest) throws IOException {
        this(name, true, files, java, rest);
    }

    /** As that one, but it records only if it {@code isRecording}: to start a recording takes half a second. */
    RecordedServer(String name, boolean isRecording, Path files, List<String> java, Object... rest)
            throws IOException {
        this.name = name;
        log = Path.of(files + ".log");
        recording = Path.of(files + ".jfr");
        List<String> command = new ArrayList<>(java);
        if (isRecording) {
            command.add("-XX:StartFlightRecording:filename=" + recording + ",settings=default");
        }
        for (Object word : rest) {
            command.add(word.toString().replace("PORT", Integer.toString(port)));
        }
        process = new ProcessBuilder(command).directory(files.getParent().toFile()).redirectErrorStream(true)
                .redirectOutput(log.toFile()).start();
    }

    RecordedServer awaitStart() throws IOException, InterruptedException {
        while (process.isAlive()) {
            try {
                new Socket("127.0.0.1", port).close();
                return this;
            } catch (IOException notYet) {
                Thread.sleep(200);
            }
        }
        throw new IOException(name + " does not start, see " + log);
    }

    /** Returns once it listens: it has had no connection then, so all that the first one takes is still to come. */
    RecordedServer awaitListening() throws IOException, InterruptedException {
        Pattern pattern = Pattern.compile(String.format(":%04X [0-9A-F]+:0000 0A ", port));
        while (process.isAlive()) {
            for (String table : List.of("/proc/net/tcp", "/proc/net/tcp6")) {
                if (pattern.matcher(Files.readString(Path.of(table))).find()) {
                    return this;
                }
            }
            Thread.sleep(50);
        }
        throw new IOException(name + " does not start, see " + log);
    }

    Path recording() {
        return recording;
    }

    List<String> log() throws IOException {
        return Files.readAllLines(log);
    }

    /** {@return how many events of each kind it has recorded} */
    Map<String, Long> events() throws IOException {
        Map<String, Long> counts = new HashMap<>();
        try (RecordingFile file = new RecordingFile(recording)) {
            while (file.hasMoreEvents()) {
                counts.merge(file.readEvent().getEventType().getName(), 1L, Long::sum);
            }
        }
        return counts;
    }

    void expectNothingOfPolluxInLog() throws IOException {
        String said = log().stream().filter(line -> line.contains("pollux")).collect(Collectors.joining("\n"));
        Checks.expect(said.isEmpty(), said);
    }

    /** It may log what it likes, but for what Pollux says of a loop that is not well. */
    void expectNoAccusationInLog() throws IOException {
        String said = log().stream().filter(ACCUSATION.asPredicate()).collect(Collectors.joining("\n"));
        Checks.expect(said.isEmpty(), said + "\nsee " + log);
    }

    /** Waits until it has ended: one of micro's does so when its input ends, the others when their time is over. */
    void end() throws IOException, InterruptedException {
        process.getOutputStream().close();
        process.waitFor();
    }

    @Override
    public void close() {
        process.destroy();
    }
}
