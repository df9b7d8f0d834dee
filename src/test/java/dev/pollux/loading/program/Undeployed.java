// SPDX-License-Identifier: Apache-2.0
package dev.pollux.loading.program;

import dev.pollux.Poller;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.lang.ref.WeakReference;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.channels.Selector;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import javax.management.ObjectName;
import jdk.jfr.Recording;

/**
 * Applications with class loaders of their own wait in a loop, and end. Then nothing may keep them: neither the loop,
 * idle, used by another thread, or closed, nor what watches it.
 */
public final class Undeployed {
    private static final List<String> WAYS = List.of("selectNow", "select", "selectNow(Consumer)", "select(Consumer)");

    /** A lost thread is found after 10 seconds. */
    private static final long LOST_MILLIS = 12_000;
    private static final int COLLECTIONS = 20;

    private static volatile boolean hasWarned;

    private final boolean isManaged;
    private final Map<String, WeakReference<?>> kept = new LinkedHashMap<>();
    private int left;

    private Undeployed(boolean isManaged) {
        this.isManaged = isManaged;
    }

    /** Takes what looks (log, jfr, jmx), and ways to wait; the first one is the virtual machine's first wait. */
    public static void main(String[] arguments) throws Exception {
        System.setErr(watched(System.err));
        if (arguments[0].equals("jfr")) {
            new Recording().start();
        }
        Undeployed program = new Undeployed(arguments[0].equals("jmx"));
        for (int i = 1; i < arguments.length; i++) {
            program.useAll(arguments[i]);
        }
        System.out.println("left: " + program.left);
        System.exit(0);
    }

    /** A stream, so that logging is set up by none but who warns. */
    private static PrintStream watched(PrintStream errors) {
        return new PrintStream(errors, true) {
            @Override
            public void write(byte[] bytes, int from, int length) {
                super.write(bytes, from, length);
                hasWarned |= new String(bytes, from, length, StandardCharsets.UTF_8).contains("WARNING: Selector ");
            }
        };
    }

    /** {@return whether there was a warning of a selector} A fault that is hard to see lasts until then. */
    public static boolean hasWarned() {
        return hasWarned;
    }

    private void useAll(String way) throws Exception {
        switch (way) {
            case "each" -> {
                for (String each : WAYS) {
                    use(each, Selector.open());
                }
            }
            case "poller" -> use(way, Poller.open("epoll", 100));
            default -> use(way, Selector.open());
        }
    }

    private void use(String way, AutoCloseable loop) throws Exception {
        use(way, loop, false);
        if (Runtime.version().feature() >= 21 && !way.equals("lost")) {
            use(way + " of a virtual thread", loop, true);
        }
        loop.close();
        tell(way + ", closed");
    }

    private void use(String name, AutoCloseable loop, boolean isVirtual) throws Exception {
        kept.clear();
        deploy(name.split(" ")[0], loop, isVirtual);
        if (name.equals("lost")) {
            Thread.sleep(LOST_MILLIS);
        }
        tell(name + ", idle");
        if (loop instanceof Selector selector) {
            selector.selectNow();
            tell(name + ", used by another thread");
        }
    }

    /** In a method of its own: no variable refers to the application afterwards. */
    private void deploy(String way, Object loop, boolean isVirtual) throws Exception {
        ClassLoader loader = new ApplicationLoader();
        Runnable application = (Runnable) loader.loadClass(Deployed.class.getName())
                .getConstructor(String.class, Object.class).newInstance(way, loop);
        Thread thread = isVirtual ? virtual(application) : new Thread(new ThreadGroup("application"), application);
        thread.setContextClassLoader(loader);
        kept.put("thread", new WeakReference<>(thread));
        kept.put("loader", new WeakReference<>(loader));
        kept.put("application", new WeakReference<>(application));
        thread.start();
        thread.join();
        if (isManaged) {
            ManagementFactory.getPlatformMBeanServer().getAttribute(new ObjectName("dev.pollux:type=Loops"), "Loops");
        }
    }

    /** By reflection: this is compiled for JDK 17. */
    private static Thread virtual(Runnable application) throws ReflectiveOperationException {
        Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
        return (Thread) Class.forName("java.lang.Thread$Builder").getMethod("unstarted", Runnable.class)
                .invoke(builder, application);
    }

    private void tell(String when) throws InterruptedException {
        for (int i = 0; i < COLLECTIONS && isKept(); i++) {
            System.gc();
            TimeUnit.MILLISECONDS.sleep(50);
        }
        kept.forEach((what, reference) -> {
            if (reference.get() != null) {
                left++;
                System.out.println("kept: " + what + " after " + when);
            }
        });
    }

    private boolean isKept() {
        return kept.values().stream().anyMatch(reference -> reference.get() != null);
    }

    /** Loads {@link Deployed} itself, as the loader of a web application does. */
    private static final class ApplicationLoader extends URLClassLoader {
        ApplicationLoader() {
            super(new URL[] {Undeployed.class.getProtectionDomain().getCodeSource().getLocation()},
                    Undeployed.class.getClassLoader());
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (!name.equals(Deployed.class.getName())) {
                return super.loadClass(name, resolve);
            }
            Class<?> loaded = findLoadedClass(name);
            return loaded != null ? loaded : findClass(name);
        }
    }
}
