// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.selector;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.invoke.VarHandle;
import sun.nio.ch.SelChImpl;
import sun.nio.ch.SelectionKeyImpl;
import sun.nio.ch.SelectorImpl;

/** Makes real keys without registering them: a registration for each state would cost a descriptor. */
final class Keys {
    private static final MethodHandle NEW_KEY;
    private static final VarHandle RESET;
    private static final SelChImpl CHANNEL;
    private static final SelectorImpl SELECTOR;

    static {
        CHANNEL = (SelChImpl) Selectors.channel();
        SELECTOR = (SelectorImpl) Selectors.open();
        try {
            MethodHandles.Lookup lookup = MethodHandles.privateLookupIn(SelectionKeyImpl.class, MethodHandles.lookup());
            NEW_KEY = lookup.findConstructor(SelectionKeyImpl.class,
                    MethodType.methodType(void.class, SelChImpl.class, SelectorImpl.class));
            RESET = lookup.findVarHandle(SelectionKeyImpl.class, "reset", boolean.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private Keys() {
    }

    static SelectionKeyImpl newKey() {
        try {
            return (SelectionKeyImpl) NEW_KEY.invokeExact(CHANNEL, SELECTOR);
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
    }

    /** What a channel does when it has replaced its socket, before it has the key queued. */
    static void reset(SelectionKeyImpl key) {
        RESET.setVolatile(key, true);
    }
}
