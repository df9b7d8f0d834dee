// SPDX-License-Identifier: Apache-2.0
package dev.pollux;

import dev.pollux.internal.jdk.JdkAccess;
import dev.pollux.internal.jdk.JdkChannels;
import dev.pollux.internal.jdk.SelectionKeyFields;
import dev.pollux.internal.jdk.SelectorImplFields;
import dev.pollux.internal.jdk.VirtualThreads;
import dev.pollux.internal.jni.NativeLibrary;
import dev.pollux.internal.jni.Natives;
import dev.pollux.internal.jni.Platform;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.util.List;

/**
 * What must have worked before anything can be opened: the native library, the access to the JDK, the JDK's members.
 *
 * <p>What came of it, good or bad, is remembered, and every caller is told the same; except that loading the library is
 * tried again by whoever opens something next, because a full temporary folder or a limit of descriptors may pass.
 * Immutable and safe for use by many threads.
 *
 * @param platform   where we are
 * @param library    the native library; null if start-up failed before it was loaded
 * @param access     the access to the JDK; null if start-up failed before it was gained
 * @param channels   the JDK's channels; null if start-up failed
 * @param mechanisms the mechanisms in the library, best first; empty if start-up failed
 * @param failure    why start-up failed; null if it did not
 */
record Startup(Platform platform, NativeLibrary library, JdkAccess access, JdkChannels channels, List<String> mechanisms,
        IOException failure) {

    /** Null before the first attempt. */
    private static volatile Startup latest;

    /** {@return what start-up came to} */
    static Startup outcome() {
        Startup known = latest;
        return known != null && known.library != null ? known : attemptUnlessLoaded();
    }

    private static synchronized Startup attemptUnlessLoaded() {
        if (latest == null || latest.library == null) {
            latest = attempt();
        }
        return latest;
    }

    /**
     * Checks that start-up worked and that a mechanism is there.
     *
     * @param mechanism what a provider stands for; null for the best
     * @return the JDK's channels
     * @throws IOException with the full diagnosis if not
     */
    JdkChannels require(String mechanism) throws IOException {
        if (failure != null) {
            // A new exception for each caller: the stack trace shows who asked, the cause what went wrong and where.
            throw new IOException(failure.getMessage(), failure);
        }
        if (mechanism != null && !mechanisms.contains(mechanism)) {
            throw new IOException("Pollux " + version() + " has no mechanism " + mechanism + " on "
                    + platform.folder() + "; it has " + String.join(", ", mechanisms)
                    + ". Name another provider, or dev.pollux.PolluxSelectorProvider, which takes the best");
        }
        return channels;
    }

    /** {@return the version in the manifest of our jar} */
    static String version() {
        String version = Startup.class.getPackage().getImplementationVersion();
        return version == null ? "(unknown version)" : version;
    }

    private static Startup attempt() {
        boolean interrupted = Thread.interrupted(); // else the first file operation would fail
        try {
            return Privileged.run(Startup::start);
        } catch (IOException impossible) {
            throw new AssertionError(impossible);
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private static Startup start() {
        Platform here = Platform.UNKNOWN;
        NativeLibrary library = null;
        JdkAccess access = null;
        try {
            here = Platform.current();
            library = NativeLibrary.load(here);
            List<String> mechanisms = mechanisms(library);
            access = JdkAccess.acquire(Natives::addOpens);
            JdkChannels channels = new JdkChannels(access);
            initialize(SelectorImplFields.class, SelectionKeyFields.class, VirtualThreads.class);
            return new Startup(here, library, access, channels, mechanisms, null);
        } catch (IOException | RuntimeException | Error e) {
            return failed(here, library, access, e);
        }
    }

    /** Looks up the JDK's members that classes need: here the permissions are ours, and a missing one is told. */
    static void initialize(Class<?>... classes) {
        try {
            for (Class<?> each : classes) {
                MethodHandles.lookup().ensureInitialized(each);
            }
        } catch (IllegalAccessException e) {
            throw new AssertionError(e); // they are public
        }
    }

    private static List<String> mechanisms(NativeLibrary library) throws IOException {
        try {
            return List.of(Natives.mechanisms().split(","));
        } catch (UnsatisfiedLinkError e) {
            throw new IOException("the native library " + library.source()
                    + " belongs to another version of Pollux: " + e.getMessage(), e);
        }
    }

    private static Startup failed(Platform here, NativeLibrary library, JdkAccess access, Throwable thrown) {
        Throwable why = thrown instanceof ExceptionInInitializerError && thrown.getCause() != null
                ? thrown.getCause() : thrown;
        String reason = why instanceof IOException ? why.getMessage() : why.toString();
        if (why instanceof SecurityException) {
            reason += ". Let the security policy give Pollux's jar java.security.AllPermission";
        }
        return new Startup(here, library, access, null, List.of(), new IOException("Pollux " + version()
                + " can't work here: " + reason + " [" + here.folder() + ", " + here.libc() + ", JDK "
                + Runtime.version() + "]", why));
    }
}
