// SPDX-License-Identifier: Apache-2.0
package dev.pollux;

import dev.pollux.internal.jdk.JdkChannels;
import dev.pollux.internal.jdk.Privileged;
import dev.pollux.internal.selector.SelectorFactory;
import dev.pollux.internal.startup.Startup;
import java.io.IOException;
import java.net.ProtocolFamily;
import java.nio.channels.Channel;
import java.nio.channels.DatagramChannel;
import java.nio.channels.Pipe;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.AbstractSelector;
import java.nio.channels.spi.SelectorProvider;

/**
 * Opens selectors on the best mechanism of this platform, and the JDK's own channels beside them.
 *
 * <p>It is switched on by {@code -Djava.nio.channels.spi.SelectorProvider=dev.pollux.PolluxSelectorProvider}. Making a
 * provider never fails; where Pollux can't work, everything that is opened throws an {@code IOException} that says why
 * and what to do. The JDK's selector never steps in silently. Safe for use by many threads.
 */
// The VM loads this class before we have access to sun.nio.ch. Nothing in it may make the verifier load a class that
// extends one of that package. So there is a factory, and no return value is narrower than the declared type.
public class PolluxSelectorProvider extends SelectorProvider {
    /** What selectors are made of; null for the best there is. */
    private final String mechanism;

    /** Makes a provider that takes the best mechanism. */
    public PolluxSelectorProvider() {
        this(null);
    }

    /**
     * Makes a provider that takes this mechanism. The system property needs a class without arguments, such as {@link
     * PollSelectorProvider}.
     *
     * @param mechanism its name, as {@code "epoll"}; one that is not here is named by what opens a channel or selector
     */
    public PolluxSelectorProvider(String mechanism) {
        this.mechanism = mechanism;
    }

    private JdkChannels channels() throws IOException {
        return Startup.outcome().require(mechanism);
    }

    @Override
    public DatagramChannel openDatagramChannel() throws IOException {
        return channels().datagramChannel(this);
    }

    @Override
    public DatagramChannel openDatagramChannel(ProtocolFamily family) throws IOException {
        return channels().datagramChannel(this, family);
    }

    @Override
    public Pipe openPipe() throws IOException {
        return channels().pipe(this);
    }

    @Override
    public AbstractSelector openSelector() throws IOException {
        channels();
        return Privileged.isNeeded() ? Privileged.run(() -> SelectorFactory.open(this, mechanism))
                : SelectorFactory.open(this, mechanism);
    }

    @Override
    public ServerSocketChannel openServerSocketChannel() throws IOException {
        return channels().serverSocketChannel(this);
    }

    @Override
    public ServerSocketChannel openServerSocketChannel(ProtocolFamily family) throws IOException {
        return channels().serverSocketChannel(this, family);
    }

    @Override
    public SocketChannel openSocketChannel() throws IOException {
        return channels().socketChannel(this);
    }

    @Override
    public SocketChannel openSocketChannel(ProtocolFamily family) throws IOException {
        return channels().socketChannel(this, family);
    }

    @Override
    public Channel inheritedChannel() throws IOException {
        return channels().inheritedChannel();
    }
}
