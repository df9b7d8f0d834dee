// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.tell;

import dev.pollux.internal.count.Unexpected;
import dev.pollux.internal.jdk.Privileged;
import dev.pollux.internal.jdk.Room;
import dev.pollux.internal.verdict.Verdicts;
import java.io.FileInputStream;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.Formatter;
import java.util.List;
import java.util.Locale;
import java.util.ServiceLoader;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Loads and opens what it takes to say something, before there is something to say: at a limit of descriptors or
 * memory an initialiser that fails would break logging for the whole program, for ever. The watch thread begins with
 * this; if there is no {@link Room}, it is tried again. The JDK's own logging is made ready. A program that brings its
 * own is left to set that up when it likes; until the first message is out some descriptors are kept in reserve for
 * it, and it is called only where there is room. Safe for use by many threads.
 */
final class Preparation {
    private static final int RESERVE = 8;

    /** A program with this property has a manager of logging of its own. */
    private static final String MANAGER_PROPERTY = "java.util.logging.manager";

    private static final ReentrantLock ATTEMPT = new ReentrantLock();

    /** All of ours is loaded, and the JDK's logging, if that is used. */
    private static volatile boolean isDone;

    /** Something has been logged, so logging is ready beyond doubt. */
    private static volatile boolean hasLogged;

    /** For the program's own logging; null if there is none, or no longer. Guarded by this class. */
    private static FileInputStream[] reserve;

    private Preparation() {
    }

    /** {@return whether all is loaded that can be loaded before something is to be said} If not, it tries. */
    static boolean isDone() {
        return isDone || attempt();
    }

    static boolean isReady() {
        return isDone() && (hasLogged || hasRoomForFirst());
    }

    static void onLogged() {
        if (!hasLogged) {
            hasLogged = true;
            release();
        }
    }

    /** One thread at a time; another one does not wait: it may hold what the first one needs to open logging. */
    private static boolean attempt() {
        if (!Room.isThere() || !ATTEMPT.tryLock()) {
            return false;
        }
        try {
            if (!isDone) {
                load();
            }
        } catch (RuntimeException | Error e) {
            Unexpected.caught("the preparation of logging", e); // a policy may forbid it: it is not tried again
        } finally {
            isDone = true;
            ATTEMPT.unlock();
        }
        return true;
    }

    private static void load() {
        Room.initialize(Verdicts.classes());
        Room.initialize(classes());
        Verdicts.rehearse();
        if (Privileged.withoutCaller(Preparation::isOfProgram)) {
            keepReserve();
        } else {
            hasLogged = Privileged.withoutCaller(Preparation::openLogging);
        }
    }

    /** {@return the classes here that telling needs, but those that need a module that may be absent} */
    static List<Class<?>> classes() {
        return List.of(Teller.class, Teller.Listener.class, Teller.Warning.class, WarningLog.class,
                Preparation.class, Insight.class, Jmx.class);
    }

    /** Whether messages go to another logging than the JDK's, or to one that the program has changed. */
    private static boolean isOfProgram() {
        return System.getProperty(MANAGER_PROPERTY) != null
                || ServiceLoader.load(System.LoggerFinder.class, ClassLoader.getSystemClassLoader()).stream()
                        .findAny().isPresent();
    }

    /** All that a message with a time and a stack takes, without a message. {@return true} */
    private static boolean openLogging() {
        System.getLogger(WarningLog.NAME).isLoggable(Level.WARNING);
        new Formatter(Locale.ROOT).format("%1$tb %1$td, %1$tY %1$tl:%1$tM:%1$tS %1$Tp",
                ZonedDateTime.now(ZoneId.systemDefault())).close();
        if (ModuleLayer.boot().findModule("java.logging").isPresent()) {
            JdkFormatters.use();
        }
        return true;
    }

    /** What is in reserve is given back for this, if need be: another thread may take it first. */
    private static boolean hasRoomForFirst() {
        if (Room.isThere()) {
            return true;
        }
        release();
        boolean isThere = Room.isThere();
        if (!isThere) {
            keepReserve();
        }
        return isThere;
    }

    private static synchronized void keepReserve() {
        try {
            reserve = reserve == null ? Room.reserve(RESERVE) : reserve;
        } catch (IOException | OutOfMemoryError e) {
            reserve = null; // none is left: later then
        }
    }

    private static synchronized void release() {
        try {
            if (reserve != null) {
                Room.close(reserve);
            }
        } catch (IOException e) {
            Unexpected.caught("the descriptors in reserve", e);
        }
        reserve = null;
    }
}
