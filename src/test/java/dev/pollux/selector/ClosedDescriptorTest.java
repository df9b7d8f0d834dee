// SPDX-License-Identifier: Apache-2.0
package dev.pollux.selector;

import static java.nio.channels.SelectionKey.OP_READ;
import static java.nio.channels.SelectionKey.OP_WRITE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.pollux.lab.Io;
import java.io.FileInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import sun.nio.ch.SelChImpl;

/** Channels whose descriptor somebody has closed behind their backs. */
@Tag("beyond-jdk")
class ClosedDescriptorTest {

    @EachProvider
    void aChannelOfAClosedDescriptorIsReadySoThatItsNextCallTells(Lab lab) throws Exception {
        assumeTrue(lab.tellsOfClosing(), "the system forgets it without a word");
        Selector selector = lab.selector();
        Pipe pipe = lab.pipe();
        SelectionKey key = pipe.source().register(selector, OP_READ);
        SelectionKey other = lab.datagram().register(selector, OP_WRITE);
        assertEquals(1, selector.selectNow());
        selector.selectedKeys().clear();
        new FileInputStream(((SelChImpl) pipe.source()).getFD()).close();
        assertEquals(2, selector.select());
        assertEquals(Set.of(key, other), selector.selectedKeys());
        assertThrows(IOException.class, () -> pipe.source().read(ByteBuffer.allocate(1)));
        selector.selectedKeys().clear();
        other.cancel();
        Io.assertSleeps(selector, 50);
    }
}
