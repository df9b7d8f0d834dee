// SPDX-License-Identifier: Apache-2.0
package dev.pollux.lab;

import java.nio.channels.SelectionKey;
import java.nio.channels.spi.AbstractSelectableChannel;
import java.nio.channels.spi.SelectorProvider;

/** A selectable channel that the JDK did not make: without a descriptor no selector of the JDK's family takes it. */
public final class ForeignChannel extends AbstractSelectableChannel {

    public ForeignChannel(SelectorProvider provider) {
        super(provider);
    }

    @Override
    public int validOps() {
        return SelectionKey.OP_READ;
    }

    @Override
    protected void implCloseSelectableChannel() {
        // nothing is open
    }

    @Override
    protected void implConfigureBlocking(boolean block) {
        // nothing blocks
    }
}
