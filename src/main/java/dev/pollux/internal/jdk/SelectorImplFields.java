// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.jdk;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import java.nio.channels.SelectionKey;
import java.util.Set;
import sun.nio.ch.SelectorImpl;

/**
 * The two fields of {@link SelectorImpl} that hold the selected keys and the view of them that callers get. Frameworks
 * replace them (Netty, Agrona), so they are read at every selection.
 *
 * <p>Reading allocates nothing.
 */
public final class SelectorImplFields {
    private static final VarHandle SELECTED_KEYS = JdkFields.varHandle(SelectorImpl.class, "selectedKeys", Set.class);
    private static final VarHandle PUBLIC_SELECTED_KEYS =
            JdkFields.varHandle(SelectorImpl.class, "publicSelectedKeys", Set.class);
    private static final MethodHandle SET_SELECTED_KEYS = JdkFields.finalFieldSetter(SelectorImpl.class, "selectedKeys");
    private static final MethodHandle SET_PUBLIC_SELECTED_KEYS =
            JdkFields.finalFieldSetter(SelectorImpl.class, "publicSelectedKeys");

    private SelectorImplFields() {
    }

    @SuppressWarnings("unchecked")
    public static Set<SelectionKey> selectedKeys(SelectorImpl selector) {
        return (Set<SelectionKey>) SELECTED_KEYS.get(selector);
    }

    @SuppressWarnings("unchecked")
    public static Set<SelectionKey> publicSelectedKeys(SelectorImpl selector) {
        return (Set<SelectionKey>) PUBLIC_SELECTED_KEYS.get(selector);
    }

    /** Puts other sets into the two fields, which are final. A JDK that refuses leaves both as they were. */
    public static void replace(SelectorImpl selector, Set<SelectionKey> keys, Set<SelectionKey> view) {
        if (SET_SELECTED_KEYS == null || SET_PUBLIC_SELECTED_KEYS == null) {
            return;
        }
        try {
            SET_PUBLIC_SELECTED_KEYS.invokeExact(selector, view);
            SET_SELECTED_KEYS.invokeExact(selector, keys);
        } catch (Throwable refused) {
            throw new IllegalStateException("A final field of " + SelectorImpl.class + " was opened and yet refused", refused);
        }
    }
}
