// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.tell;

import dev.pollux.internal.count.IntervalLongest;
import dev.pollux.internal.count.Printable;
import dev.pollux.internal.verdict.LoopSnapshot;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.net.ConnectException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * The half of {@code top} that runs in the virtual machine that is looked at, after the other half has loaded our jar
 * there. A thread answers what that asks, and ends with the connection. It listens nowhere and starts no MBean server,
 * since both would stay.
 */
public final class TopAgent {
    public static final String THREAD = "Pollux top";
    public static final String LOOPS = "loops";
    public static final String STACK = "stack ";

    private TopAgent() {
    }

    /** Connects to this Unix domain socket, and answers in a thread of its own. */
    public static void start(String socket) throws IOException {
        SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
        try {
            channel.connect(UnixDomainSocketAddress.of(socket));
            Thread thread = new Thread(null, () -> answer(channel), THREAD, 0, false);
            thread.setContextClassLoader(null); // it must keep no application alive
            thread.setDaemon(true);
            thread.start();
        } catch (IOException | RuntimeException | Error e) {
            channel.close();
            // If this process was stopped, top may have ended. The application's standard error is no place for that.
            if (!(e instanceof ConnectException || e instanceof IOException && Files.notExists(Path.of(socket)))) {
                throw e;
            }
        }
    }

    private static void answer(SocketChannel channel) {
        try (channel; IntervalLongest longest = new IntervalLongest();
                BufferedReader in = new BufferedReader(Channels.newReader(channel, StandardCharsets.UTF_8));
                Writer out = Channels.newWriter(channel, StandardCharsets.UTF_8)) {
            PrintWriter lines = new PrintWriter(out);
            for (String question = in.readLine(); question != null; question = in.readLine()) {
                answerTo(question, longest).forEach(line -> lines.print(line + '\n'));
                lines.print('\n'); // an empty line ends the answer
                lines.flush();
            }
        } catch (IOException e) {
            // top was killed
        }
    }

    private static Stream<String> answerTo(String question, IntervalLongest longest) {
        if (question.equals(LOOPS)) {
            List<LoopSnapshot> all = LoopSnapshot.all();
            Map<Long, Long> ended = longest.look();
            return all.stream().map(loop -> LoopLine.of(loop, ended.getOrDefault(loop.number(), 0L)));
        }
        long number = Long.parseLong(question.substring(STACK.length()));
        return LoopSnapshot.all().stream().filter(loop -> loop.number() == number)
                .flatMap(loop -> Arrays.stream(loop.stack())).map(call -> Printable.of("at " + call));
    }
}
