// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.jdk;

import java.io.IOException;
import java.lang.invoke.MethodType;
import java.lang.invoke.VarHandle;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.util.Objects;
import sun.nio.ch.DirectBuffer;

/** The memory of direct buffers. Access to {@code sun.nio.ch} must have been gained. */
public final class DirectMemory {
    /** Null before a server was opened: selectors do not need it. */
    private static volatile VarHandle found;

    /** For the compiler's sake a constant, in an initialiser that can't fail: {@link #find} comes first. */
    private static final class Fields {
        static final VarHandle ADDRESS = found;

        private Fields() {
        }
    }

    private DirectMemory() {
    }

    /** Finds what {@link #move} needs, unless that has been done. */
    public static void find() throws IOException {
        if (found == null) {
            found = JdkMembers.field(JdkMembers.trustedLookup(), Buffer.class, "address", long.class);
        }
    }

    /** {@return how many bytes all direct buffers of this virtual machine may take together} */
    public static long max() throws IOException {
        try {
            Class<?> owner = Class.forName("jdk.internal.misc.VM");
            return (long) JdkMembers.trustedLookup().findStatic(owner, "maxDirectMemory",
                    MethodType.methodType(long.class)).invokeExact();
        } catch (IOException | Error e) {
            throw e;
        } catch (Throwable e) {
            return Runtime.getRuntime().maxMemory(); // as it is unless an option says otherwise
        }
    }

    /** {@return the address of a direct buffer's first byte, whatever its position} */
    public static long address(ByteBuffer buffer) {
        return ((DirectBuffer) buffer).address();
    }

    /**
     * Has a slice of a direct buffer begin at another byte of that buffer. Duplicates of the slice stay where they are.
     * {@link #find} must have been called. Allocation: none.
     */
    public static void move(ByteBuffer slice, ByteBuffer whole, int from) {
        Objects.checkFromIndexSize(from, slice.capacity(), whole.capacity());
        Fields.ADDRESS.set((Buffer) slice, address(whole) + from);
    }

    /** Gives back the memory of {@code allocateDirect}, which no thread may use any more. */
    public static void free(ByteBuffer buffer) {
        try {
            JdkNatives.free(buffer);
        } catch (LinkageError e) {
            // this JDK has no way: the garbage collector does it
        }
    }
}
