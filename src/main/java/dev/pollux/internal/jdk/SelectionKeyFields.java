// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.jdk;

import java.lang.invoke.VarHandle;
import sun.nio.ch.SelectionKeyImpl;

/**
 * The three fields that {@link SelectionKeyImpl} keeps for selectors to use as they like, and one by which a channel
 * tells them something. So the state of a key takes no table and no further object. The class that uses a field says
 * what is in it. Thread-safety is the caller's. Must not be used before {@link JdkMembers} were found.
 */
public final class SelectionKeyFields {
    private static final VarHandle REGISTERED_EVENTS = JdkMembers.found().registeredEvents;
    private static final VarHandle INDEX = JdkMembers.found().index;
    private static final VarHandle LAST_POLLED = JdkMembers.found().lastPolled;
    private static final VarHandle RESET = JdkMembers.found().reset;

    private SelectionKeyFields() {
    }

    public static int registeredEvents(SelectionKeyImpl key) {
        return (int) REGISTERED_EVENTS.get(key);
    }

    public static void registeredEvents(SelectionKeyImpl key, int value) {
        REGISTERED_EVENTS.set(key, value);
    }

    public static int index(SelectionKeyImpl key) {
        return (int) INDEX.get(key);
    }

    public static void index(SelectionKeyImpl key, int value) {
        INDEX.set(key, value);
    }

    /** {@return whether the channel has replaced its socket, keeping the number, since this was asked last} */
    public static boolean getAndClearReset(SelectionKeyImpl key) {
        boolean reset = (boolean) RESET.getVolatile(key);
        if (reset) {
            RESET.setVolatile(key, false);
        }
        return reset;
    }

    public static int lastPolledVolatile(SelectionKeyImpl key) {
        return (int) LAST_POLLED.getVolatile(key);
    }

    public static void lastPolledVolatile(SelectionKeyImpl key, int value) {
        LAST_POLLED.setVolatile(key, value);
    }
}
