// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.jdk;

import java.lang.invoke.VarHandle;
import java.nio.channels.SelectionKey;
import java.util.Set;
import sun.nio.ch.SelectorImpl;

/**
 * The two fields of {@link SelectorImpl} that hold the selected keys and the view of them that callers get. Frameworks
 * replace them (Netty, Agrona), so they are read at every selection. Not before {@link JdkMembers} were found.
 */
public final class SelectorImplFields {
    private static final VarHandle SELECTED_KEYS = JdkMembers.found().selectedKeys;
    private static final VarHandle PUBLIC_SELECTED_KEYS = JdkMembers.found().publicSelectedKeys;

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
        try {
            JdkNatives.setSelectedKeys(SelectorImpl.class, selector, keys, view);
        } catch (NoSuchFieldError renamed) {
            throw renamed; // jdk.c must name them as JdkMembers does
        } catch (RuntimeException | LinkageError refused) {
            return; // no JDK up to 28 does; only speed is lost
        }
    }
}
