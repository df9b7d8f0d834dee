// SPDX-License-Identifier: Apache-2.0
package dev.pollux.poller;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.pollux.Poller;
import dev.pollux.internal.startup.Startup;
import dev.pollux.lab.Descriptors;
import dev.pollux.lab.Io;
import dev.pollux.lab.Loop;
import dev.pollux.lab.LoopLab;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.Pipe;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * A workbench of a mechanism under test, with channels of the JDK's provider.
 * The system property {@code pollux.test.mechanisms} names the mechanisms, or none; else it is all that are here.
 */
final class PollerLab extends LoopLab {

    /** Comma-separated names of the mechanisms under test. */
    static final String MECHANISMS = "pollux.test.mechanisms";

    /** This system property is true under Wine. */
    static final String WINE = "pollux.test.wine";

    private final String mechanism;

    private PollerLab(String mechanism) {
        super(SelectorProvider.provider());
        this.mechanism = mechanism;
    }

    static Stream<PollerLab> all() {
        String named = System.getProperty(MECHANISMS);
        return (named == null ? Startup.outcome().mechanisms() : List.of(named.split(","))).stream()
                .filter(each -> !each.isEmpty()).map(PollerLab::new);
    }

    @Override
    protected PollerLab another() {
        return new PollerLab(mechanism);
    }

    @Override
    public String mechanism() {
        return mechanism;
    }

    @Override
    public Loop open() throws IOException {
        return new PollerLoop(Poller.open(mechanism, Integer.MAX_VALUE));
    }

    @Override
    public Loop openBest() throws IOException {
        return new PollerLoop(new Poller());
    }

    /** Skips a test of what {@code /proc} and Unix's files are needed for. */
    static void needsUnix() {
        assumeTrue(!Descriptors.WINDOWS, "needs descriptors that Windows does not have");
    }

    /** Skips a test that closes sockets while they are polled, by which Wine's server may end itself. */
    static void needsServerThatSurvivesClosing() {
        assumeTrue(!Boolean.getBoolean(WINE), "Wine's server falls (set_fd_events: assertion failed)");
    }

    /** Skips a test of hang-ups and errors of pipes that are watched for nothing. */
    void needsUnaskedEventsOfPipes() {
        assumeTrue(!Descriptors.WINDOWS, "the ends of a pipe are those of a connection, whose end is no hang-up");
        assumeTrue(!isKQueue(), "the mechanism reports nothing of a descriptor that is watched for nothing");
    }

    /** A Poller without a limit. */
    Poller poller() throws IOException {
        return poller(Integer.MAX_VALUE);
    }

    Poller poller(int capacity) throws IOException {
        return opened(Poller.open(mechanism, capacity));
    }

    /** A pipe whose reading end is ready. */
    Pipe fedPipe() throws IOException {
        Pipe pipe = pipe();
        Io.feed(pipe);
        return pipe;
    }

    /** A connection of Unix-domain sockets, {@code near} is non-blocking. */
    Connection unix() throws IOException {
        Path folder = Files.createTempDirectory("pollux");
        UnixDomainSocketAddress address = UnixDomainSocketAddress.of(folder.resolve("socket"));
        try (ServerSocketChannel listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            listener.bind(address);
            SocketChannel far = opened(SocketChannel.open(address));
            SocketChannel near = opened(listener.accept());
            near.configureBlocking(false);
            return new Connection(near, far);
        } finally {
            Files.deleteIfExists(address.getPath());
            Files.delete(folder);
        }
    }

    @Override
    public String toString() {
        return "poller on " + mechanism;
    }
}
