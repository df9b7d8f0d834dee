// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.selector;

import dev.pollux.PolluxSelectorProvider;
import java.io.IOException;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.nio.channels.Pipe;
import java.nio.channels.Selector;
import sun.nio.ch.SelChImpl;
import sun.nio.ch.SelectionKeyImpl;
import sun.nio.ch.SelectorImpl;

/** Makes real keys without registering them. */
final class TestKeys implements AutoCloseable {
    private final Selector selector;
    private final Pipe pipe;

    TestKeys() throws IOException {
        PolluxSelectorProvider provider = new PolluxSelectorProvider();
        selector = provider.openSelector();
        pipe = provider.openPipe();
    }

    SelectionKeyImpl newKey() {
        try {
            MethodHandle constructor = MethodHandles.privateLookupIn(SelectionKeyImpl.class, MethodHandles.lookup())
                    .findConstructor(SelectionKeyImpl.class,
                            MethodType.methodType(void.class, SelChImpl.class, SelectorImpl.class));
            return (SelectionKeyImpl) constructor.invoke((SelChImpl) pipe.source(), (SelectorImpl) selector);
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
    }

    SelectionKeyImpl[] newKeys(int n) {
        SelectionKeyImpl[] keys = new SelectionKeyImpl[n];
        for (int i = 0; i < n; i++) {
            keys[i] = newKey();
        }
        return keys;
    }

    @Override
    public void close() throws IOException {
        selector.close();
        pipe.source().close();
        pipe.sink().close();
    }
}
