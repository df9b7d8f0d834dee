// SPDX-License-Identifier: Apache-2.0
package dev.pollux.selector;

import java.io.FileDescriptor;
import java.io.IOException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.spi.AbstractSelectableChannel;
import sun.nio.ch.SelChImpl;
import sun.nio.ch.SelectionKeyImpl;

/** Stands for a channel of the JDK, and throws a StackOverflowError when it is asked for its descriptor, if told to. */
class TrippingChannel extends AbstractSelectableChannel implements SelChImpl {
    private final SelectableChannel channel;
    private boolean trips;

    TrippingChannel(SelectableChannel channel) throws IOException {
        super(channel.provider());
        this.channel = channel;
        configureBlocking(false);
    }

    private SelChImpl inner() {
        return (SelChImpl) channel;
    }

    /** The next one who asks for the descriptor gets an error instead. */
    void tripOnce() {
        trips = true;
    }

    boolean hasTripped() {
        return !trips;
    }

    @Override
    public int getFDVal() {
        if (trips) {
            trips = false;
            throw new StackOverflowError("on purpose");
        }
        return inner().getFDVal();
    }

    @Override
    public FileDescriptor getFD() {
        return inner().getFD();
    }

    @Override
    public boolean translateAndUpdateReadyOps(int events, SelectionKeyImpl key) {
        return inner().translateAndUpdateReadyOps(events, key);
    }

    @Override
    public boolean translateAndSetReadyOps(int events, SelectionKeyImpl key) {
        return inner().translateAndSetReadyOps(events, key);
    }

    @Override
    public int translateInterestOps(int interest) {
        return inner().translateInterestOps(interest);
    }

    @Override
    public void kill() throws IOException {
        channel.close();
    }

    @Override
    public int validOps() {
        return channel.validOps();
    }

    @Override
    protected void implCloseSelectableChannel() throws IOException {
        if (!isRegistered()) {
            channel.close();
        }
    }

    @Override
    protected void implConfigureBlocking(boolean block) throws IOException {
        channel.configureBlocking(block);
    }
}
