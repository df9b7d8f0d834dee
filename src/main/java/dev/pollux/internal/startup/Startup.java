// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.startup;

import dev.pollux.internal.batch.Streams;
import dev.pollux.internal.jdk.JdkAccess;
import dev.pollux.internal.jdk.JdkChannels;
import dev.pollux.internal.jdk.JdkMembers;
import dev.pollux.internal.jdk.Privileged;
import dev.pollux.internal.jdk.Room;
import dev.pollux.internal.jdk.SocketCalls;
import dev.pollux.internal.jni.NativeLibrary;
import dev.pollux.internal.jni.Natives;
import dev.pollux.internal.jni.Platform;
import dev.pollux.internal.selector.SelectorFactory;
import dev.pollux.internal.tell.Insight;
import java.io.IOException;
import java.util.List;

/**
 * What must have worked before anything can be opened: the native library, the access to the JDK, the JDK's members.
 * Only success is remembered, and no initialiser of a class may fail: docs/decisions.md. Immutable and safe for use by
 * many threads.
 *
 * @param library    where the native library came from
 * @param access     how access to the JDK was gained
 * @param mechanisms the mechanisms in the library, best first; empty if start-up failed
 * @param failure    why start-up failed; null if it did not. What it did not come to is null
 */
public record Startup(Platform platform, String library, String access, JdkChannels channels, List<String> mechanisms,
        IOException failure) {

    /** What start-up allocates, generously: see {@link Room}. */
    private static final int RESERVE_BLOCKS = 32;

    /** Stack for calls as deep as start-up's, generously: some 50 KB. If there is less, the error comes here, too. */
    private static final int RESERVE_FRAMES = 512;

    /** Descriptors that start-up opens at the same time, generously. */
    private static final int RESERVE_DESCRIPTORS = 4;

    /** What to do about a SecurityException. */
    public static final String SECURITY_ADVICE =
            "Let the security policy give Pollux's jar java.security.AllPermission";

    /** Null before the first success. */
    private static volatile Startup complete;

    /** Null before it was loaded; guarded by this class. */
    private static String loaded;

    /** {@return what start-up came to} */
    public static Startup outcome() {
        Startup known = complete;
        if (known != null) {
            return known;
        }
        synchronized (Startup.class) {
            known = complete != null ? complete : attempt();
            complete = known.failure == null ? known : null;
            return known;
        }
    }

    /**
     * {@return the JDK's channels, if start-up worked and this mechanism is there; null stands for the best one}
     *
     * @throws IOException with the full diagnosis if not
     */
    public JdkChannels require(String mechanism) throws IOException {
        if (failure != null) {
            // A new exception for each caller: the stack trace shows who asked, the cause what went wrong and where.
            throw new IOException(failure.getMessage(), failure.getCause());
        }
        if (mechanism != null && !mechanisms.contains(mechanism)) {
            throw new IOException("Pollux " + version() + " has no mechanism " + mechanism + " on "
                    + platform.folder() + "; it has " + String.join(", ", mechanisms)
                    + ". Name one of these or its provider; the best one is that of PolluxSelectorProvider and of"
                    + " new Poller()");
        }
        return channels;
    }

    /** {@return the version of our module, or on the class path that in the manifest of our jar} */
    public static String version() {
        Module us = Startup.class.getModule();
        String version = us.isNamed() ? us.getDescriptor().rawVersion().orElse(null)
                : Startup.class.getPackage().getImplementationVersion();
        return version == null ? "(unknown version)" : version;
    }

    private static Startup attempt() {
        // An OutOfMemoryError, if there must be one, is to come here. In the initialiser of one of the JDK's classes it
        // would make that class unusable for ever, to Pollux and to all other code.
        Room.requireMemory(RESERVE_BLOCKS);
        Room.requireStack(RESERVE_FRAMES);
        boolean interrupted = Thread.interrupted(); // else the first file operation would fail
        try {
            return Privileged.isNeeded() ? StartWork.run() : start();
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** A class of its own, so that it is not loaded unless it is needed. */
    private static final class StartWork {
        static Startup run() {
            try {
                return Privileged.run(Startup::start);
            } catch (IOException impossible) {
                throw new IllegalStateException(impossible);
            }
        }
    }

    /**
     * Has a lack of descriptors, if there must be one, be noticed here. On JDK 17 the initialiser of FileDispatcherImpl
     * opens two, and if it can't, no file and no socket channel works in this VM any more. Of a folder each class is a
     * file that must be opened.
     */
    private static void requireDescriptors() throws IOException {
        try {
            Room.requireDescriptors(RESERVE_DESCRIPTORS);
        } catch (IOException e) {
            throw new IOException("to start takes " + RESERVE_DESCRIPTORS + " descriptors, most of them for a moment: "
                    + e.getMessage() + ". Raise the limit of open files (ulimit -n), or close some", e);
        }
    }

    private static Startup start() {
        Platform here = null;
        String library = null;
        String access = null;
        try {
            here = Platform.current();
            requireDescriptors();
            if (loaded == null) {
                loaded = NativeLibrary.load(here);
            }
            library = loaded;
            List<String> mechanisms = List.of(Natives.mechanisms().split(","));
            access = JdkAccess.acquire();
            JdkChannels channels = new JdkChannels();
            JdkMembers.find();
            Room.initialize(SelectorFactory.prepare());
            Insight.install();
            boolean deferring = Streams.arePossible();
            if (!SocketCalls.replace(deferring) && deferring) {
                Streams.onMissingCalls(SocketCalls.outcome());
            }
            return new Startup(here, library, access, channels, mechanisms, null);
        } catch (VirtualMachineError passing) {
            throw passing;
        } catch (IOException | RuntimeException | Error e) {
            return failed(here, library, access, e);
        }
    }

    private static Startup failed(Platform here, String library, String access, Throwable why) {
        String reason = why instanceof IOException ? why.getMessage() : why.toString();
        if (why instanceof SecurityException) {
            reason += ". " + SECURITY_ADVICE;
        }
        String where = here == null ? "unknown platform" : here.folder() + ", " + here.libc();
        return new Startup(here, library, access, null, List.of(), new IOException("Pollux " + version()
                + " can't work here: " + reason + " [" + where + ", JDK " + Runtime.version() + "]",
                unsaid(why)));
    }

    /** What is thrown for this reason gets it as its cause, without our own exceptions: their text is said already. */
    private static Throwable unsaid(Throwable why) {
        Throwable cause = why;
        while (cause != null && cause.getClass() == IOException.class) {
            cause = cause.getCause();
        }
        return cause;
    }
}
