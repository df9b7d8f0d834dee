// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.jdk;

import java.io.IOException;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.List;

/**
 * The way into the JDK's internal packages. Nothing of {@code sun.nio.ch} may be touched before an object of this
 * class exists.
 *
 * <p>Immutable and safe for use by many threads.
 */
public final class JdkAccess {

    /** The package of the JDK's channels and selectors. */
    public static final String CHANNELS = "sun.nio.ch";

    /** The package of what lets a virtual thread block; needed where there are virtual threads. */
    public static final String BLOCKING = "jdk.internal.misc";

    /**
     * The internal classes that ours are compiled against. They are loaded as soon as access is gained: under a security
     * manager the class loader asks for a permission that Pollux has and its callers need not have.
     */
    public static final List<String> COMPILED_AGAINST =
            List.of("sun.nio.ch.Net", "sun.nio.ch.SelChImpl", "sun.nio.ch.SelectionKeyImpl", "sun.nio.ch.SelectorImpl");

    private static final Module BASE = Object.class.getModule();
    private static final Module OURS = JdkAccess.class.getModule();

    /** Written once, by {@link #acquire}; null before. */
    private static volatile JdkAccess acquired;

    private final Opener opener;
    private final String way;

    /** Opens a package to a module without asking the package's owner. */
    @FunctionalInterface
    public interface Opener {
        /**
         * Opens a package.
         *
         * @param of      the module that has the package
         * @param name    the package
         * @param to      the module that shall see into it
         * @return 0, or a negative number if this JDK offers no way
         */
        int addOpens(Module of, String name, Module to);
    }

    private JdkAccess(Opener opener, String way) {
        this.opener = opener;
        this.way = way;
    }

    /**
     * Gains access to the JDK's channels: it is there already (by flag or agent), or the opener brings it.
     *
     * @param opener the way that needs no flag
     * @return the access
     * @throws IOException if there is no way, and then the message names the flags that open one; or if a class is missing
     */
    public static synchronized JdkAccess acquire(Opener opener) throws IOException {
        boolean given = BASE.isOpen(CHANNELS, OURS);
        if (!given && !open(opener, CHANNELS)) {
            throw new IOException("the package " + CHANNELS + " of JDK " + Runtime.version()
                    + " can't be opened from native code; start the VM with --add-opens java.base/" + CHANNELS + '='
                    + ourName() + " --enable-native-access=" + ourName());
        }
        loadClasses();
        acquired = new JdkAccess(opener, given ? "opened before Pollux started (--add-opens or agent)"
                : "opened by the native library");
        return acquired;
    }

    private static void loadClasses() throws IOException {
        for (String name : COMPILED_AGAINST) {
            try {
                Class.forName(name, false, JdkAccess.class.getClassLoader());
            } catch (ClassNotFoundException e) {
                throw missing("class " + name, e);
            }
        }
    }

    /** {@return the access gained, or null if there is none yet} */
    static JdkAccess acquired() {
        return acquired;
    }

    /** {@return how access was gained, for people} */
    public String way() {
        return way;
    }

    /**
     * Opens one more package.
     *
     * @param name a package of java.base
     * @return whether it is open now
     */
    boolean open(String name) {
        return BASE.isOpen(name, OURS) || open(opener, name);
    }

    /** Tells whether this platform's java.base has a class. */
    boolean hasClass(String className) {
        try {
            return Class.forName(className, false, null) != null;
        } catch (ClassNotFoundException e) {
            return false;
        }
    }

    /**
     * Finds a constructor that need not be public.
     *
     * @param className  a class of java.base
     * @param parameters its parameters' types
     * @return the constructor
     * @throws IOException if this JDK has no such constructor
     */
    MethodHandle constructor(String className, Class<?>... parameters) throws IOException {
        try {
            Class<?> owner = Class.forName(className, false, null);
            return lookup(owner).findConstructor(owner, MethodType.methodType(void.class, parameters));
        } catch (ReflectiveOperationException e) {
            throw missing("constructor " + className + MethodType.methodType(void.class, parameters), e);
        }
    }

    /**
     * Finds a static method that need not be public.
     *
     * @param className a class of java.base
     * @param name      the method
     * @param type      its type
     * @return the method
     * @throws IOException if this JDK has no such method
     */
    MethodHandle staticMethod(String className, String name, MethodType type) throws IOException {
        try {
            Class<?> owner = Class.forName(className, false, null);
            return lookup(owner).findStatic(owner, name, type);
        } catch (ReflectiveOperationException e) {
            throw missing("method " + className + '.' + name + type, e);
        }
    }

    static MethodHandles.Lookup lookup(Class<?> owner) throws IllegalAccessException {
        return MethodHandles.privateLookupIn(owner, MethodHandles.lookup());
    }

    private static boolean open(Opener opener, String name) {
        return opener.addOpens(BASE, name, OURS) == 0 && BASE.isOpen(name, OURS);
    }

    private static IOException missing(String member, ReflectiveOperationException cause) {
        return new IOException(lacking(member), cause);
    }

    /** {@return what is wrong with a JDK that has no such member, and what to do} */
    static String lacking(String member) {
        return "JDK " + Runtime.version() + " lacks the " + member
                + ": please use a JDK from 17 to 25, or a newer Pollux";
    }

    private static String ourName() {
        return OURS.isNamed() ? OURS.getName() : "ALL-UNNAMED";
    }
}
