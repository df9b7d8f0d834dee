// SPDX-License-Identifier: Apache-2.0
package dev.pollux.lab;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.reflect.Field;
import java.lang.reflect.Method;

/** Reaches private members of the JDK, whose packages nobody has opened; by Unsafe, as frameworks do. */
public final class Trusted {
    private Trusted() {
    }

    /** The look-up that may see everything. */
    public static MethodHandles.Lookup lookup() throws ReflectiveOperationException {
        Field trusted = MethodHandles.Lookup.class.getDeclaredField("IMPL_LOOKUP");
        Object base = call("staticFieldBase", new Class<?>[] {Field.class}, trusted);
        Object offset = call("staticFieldOffset", new Class<?>[] {Field.class}, trusted);
        return (MethodHandles.Lookup) call("getObject", new Class<?>[] {Object.class, long.class}, base, offset);
    }

    /** Calls a method; the arguments begin with the object, unless the method is static. */
    public static Object invoke(Method method, Object... arguments) throws Exception {
        return invoke(lookup().unreflect(method), arguments);
    }

    /** What is in a field; a static one has no owner. */
    public static Object get(Field field, Object... owner) throws Exception {
        return invoke(lookup().unreflectGetter(field), owner);
    }

    private static Object invoke(MethodHandle handle, Object... arguments) throws Exception {
        try {
            return handle.invokeWithArguments(arguments);
        } catch (Exception | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new AssertionError(e);
        }
    }

    /** Sets a field, a final one too: reflection can't do that on JDK 26 and later (JEP 500). */
    public static void set(Field field, Object owner, Object value) throws ReflectiveOperationException {
        Object offset = call("objectFieldOffset", new Class<?>[] {Field.class}, field);
        call("putObject", new Class<?>[] {Object.class, long.class, Object.class}, owner, offset, value);
    }

    /** By reflection: the compiler would warn of every use. */
    private static Object call(String method, Class<?>[] types, Object... arguments)
            throws ReflectiveOperationException {
        Class<?> unsafe = Class.forName("sun.misc.Unsafe");
        Field instance = unsafe.getDeclaredField("theUnsafe");
        instance.setAccessible(true);
        return unsafe.getMethod(method, types).invoke(instance.get(null), arguments);
    }
}
