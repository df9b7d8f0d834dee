// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.jdk;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.lang.reflect.Field;

/**
 * Finds private fields of the JDK's classes, once, when a class that uses them is initialised. The package must be open by
 * then. A field that is missing ends in an {@link ExceptionInInitializerError} whose cause names it and the JDK.
 */
final class JdkFields {
    private JdkFields() {
    }

    static VarHandle varHandle(Class<?> owner, String name, Class<?> type) {
        try {
            return JdkAccess.lookup(owner).findVarHandle(owner, name, type);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(JdkAccess.lacking("field " + owner.getName() + '.' + name), e);
        }
    }

    /** A setter {@code (owner, field's type)void} of a final instance field, or null where the JDK refuses it. */
    static MethodHandle finalFieldSetter(Class<?> owner, String name) {
        try {
            Field field = owner.getDeclaredField(name);
            field.setAccessible(true);
            return MethodHandles.lookup().unreflectSetter(field);
        } catch (ReflectiveOperationException | RuntimeException e) {
            return null;
        }
    }
}
