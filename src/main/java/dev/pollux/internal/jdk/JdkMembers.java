// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.jdk;

import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Set;
import sun.nio.ch.SelectionKeyImpl;
import sun.nio.ch.SelectorImpl;

/**
 * The JDK's private members that a selection uses. Start-up finds them, all or none. Then the classes that use them
 * copy them into constants, for the compiler's sake, in initialisers that can't fail. Immutable.
 */
public final class JdkMembers {
    /** Null until all are found. */
    private static volatile JdkMembers found;

    final VarHandle selectedKeys;
    final VarHandle publicSelectedKeys;
    final VarHandle registeredEvents;
    final VarHandle index;
    final VarHandle lastPolled;
    final VarHandle reset;

    /** What every virtual thread is an instance of; null if this JDK has none. */
    final Class<?> virtualThread;

    /** What compensates for a blocked carrier; null if this JDK can't. */
    final Class<?> blocker;

    private JdkMembers() throws IOException {
        MethodHandles.Lookup lookup = trustedLookup();
        selectedKeys = field(lookup, SelectorImpl.class, "selectedKeys", Set.class);
        publicSelectedKeys = field(lookup, SelectorImpl.class, "publicSelectedKeys", Set.class);
        registeredEvents = field(lookup, SelectionKeyImpl.class, "registeredEvents", int.class);
        index = field(lookup, SelectionKeyImpl.class, "index", int.class);
        lastPolled = field(lookup, SelectionKeyImpl.class, "lastPolled", int.class);
        reset = field(lookup, SelectionKeyImpl.class, "reset", boolean.class);
        virtualThread = JdkAccess.classIfPresent("java.lang.BaseVirtualThread");
        blocker = virtualThread == null ? null : JdkAccess.classIfPresent("jdk.internal.misc.Blocker");
    }

    /**
     * Finds them, unless that has been done. Access to {@code sun.nio.ch} must have been gained. The exception names
     * the member that this JDK lacks.
     */
    public static JdkMembers find() throws IOException {
        JdkMembers known = found;
        if (known == null) {
            known = new JdkMembers();
            found = known;
        }
        return known;
    }

    /** For initialisers: in start-up they have been found before. */
    static JdkMembers found() {
        try {
            return find();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    /** May see the private members of every class: for as long as something is looked up, then forgotten. */
    static MethodHandles.Lookup trustedLookup() throws IOException {
        try {
            return JdkNatives.trustedLookup(MethodHandles.Lookup.class);
        } catch (NoSuchFieldError e) {
            throw JdkAccess.missing("field java.lang.invoke.MethodHandles.Lookup.IMPL_LOOKUP", e);
        }
    }

    static VarHandle field(MethodHandles.Lookup lookup, Class<?> owner, String name, Class<?> type)
            throws IOException {
        try {
            return lookup.findVarHandle(owner, name, type);
        } catch (ReflectiveOperationException e) {
            throw JdkAccess.missing("field " + owner.getName() + '.' + name, e);
        }
    }
}
