// SPDX-License-Identifier: Apache-2.0
package dev.pollux.soak;

import dev.pollux.Poller;
import dev.pollux.lab.Virtual;
import java.io.IOException;
import java.nio.channels.Pipe;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;

/**
 * One way to use selectors or Pollers, for as long as the soak lasts. It has drivers, which end after the exchange they
 * are at when the scenario is stopped, and servers, which end when all drivers have.
 */
abstract class Scenario {
    protected final Site site;
    protected final Tally tally = new Tally();

    private final List<FutureTask<Void>> drivers = new ArrayList<>();
    private final List<FutureTask<Void>> servers = new ArrayList<>();
    private final List<AutoCloseable> opened = new CopyOnWriteArrayList<>();
    private final Set<Flow> flows = ConcurrentHashMap.newKeySet();
    private final AtomicReference<Throwable> failure = new AtomicReference<>();
    private volatile boolean stopping;
    private volatile boolean closing;

    protected Scenario(Site site) {
        this.site = site;
    }

    /** The body of a thread. */
    interface Body {
        void run() throws Exception;
    }

    String name() {
        return getClass().getSimpleName();
    }

    /** Why it can't run in this virtual machine; null if it can. */
    String skipped() {
        return null;
    }

    /** Whether the server closes connections on its own, so that not all that is sent comes back. */
    boolean cutsConnections() {
        return false;
    }

    /** Opens what is needed and starts the threads. */
    abstract void start() throws Exception;

    /** Tells the drivers to come to an end. */
    final void stop() {
        stopping = true;
    }

    /** Waits for the drivers, ends the servers, and closes everything. */
    final void finish() throws Exception {
        for (FutureTask<Void> driver : drivers) {
            driver.get();
        }
        closing = true;
        for (FutureTask<Void> server : servers) {
            end(server);
        }
        List<AutoCloseable> last = new ArrayList<>(opened);
        Collections.reverse(last);
        for (AutoCloseable resource : last) {
            if (resource instanceof Selector selector) {
                closeChannels(selector);
            }
            resource.close();
        }
        flows.clear();
    }

    /** A server may have ended before it read that the last clients are gone. */
    private static void closeChannels(Selector selector) throws IOException {
        for (SelectionKey key : selector.keys()) {
            key.channel().close();
        }
    }

    /** Several servers may share a selector, so one wakeup need not be enough. */
    private void end(FutureTask<Void> server) throws Exception {
        while (true) {
            wakeEverything();
            try {
                server.get(20, TimeUnit.MILLISECONDS);
                return;
            } catch (TimeoutException e) {
                // It is woken once more.
            }
        }
    }

    private void wakeEverything() {
        for (AutoCloseable resource : opened) {
            if (resource instanceof Selector selector) {
                selector.wakeup();
            } else if (resource instanceof Poller poller) {
                poller.wakeup();
            }
        }
    }

    protected final boolean isStopping() {
        return stopping;
    }

    protected final boolean isClosing() {
        return closing;
    }

    protected final void drive(String name, Body body) {
        drivers.add(onPlatformThread(name, body));
    }

    protected final void serve(String name, Body body) {
        servers.add(onPlatformThread(name, body));
    }

    protected final void driveVirtually(Body body) throws Exception {
        drivers.add(Virtual.start(guarded(() -> {
            site.storm().addThisThread(); // its carrier
            body.run();
        })));
    }

    protected final void serveVirtually(Body body) throws Exception {
        servers.add(Virtual.start(guarded(body)));
    }

    private FutureTask<Void> onPlatformThread(String name, Body body) {
        FutureTask<Void> task = new FutureTask<>(guarded(() -> {
            site.storm().addThisThread();
            body.run();
        }));
        Thread thread = new Thread(task, "soak " + name() + ' ' + name);
        thread.setDaemon(true);
        thread.start();
        return task;
    }

    private Callable<Void> guarded(Body body) {
        return () -> {
            try {
                body.run();
            } catch (Throwable e) {
                failure.compareAndSet(null, e);
            }
            return null;
        };
    }

    /** What went wrong; null if nothing has. */
    final Throwable failure() {
        return failure.get();
    }

    protected final Flow flow(String what) {
        Flow flow = new Flow(name() + ", " + what);
        flows.add(flow);
        return flow;
    }

    protected final void end(Flow flow) {
        flows.remove(flow);
    }

    /** Looks at all flows, once a second: one that has stood still for so many looks, or null. */
    final Flow stalled(int looks) {
        Flow stalled = null;
        for (Flow flow : flows) {
            stalled = flow.look() > looks ? flow : stalled;
        }
        return stalled;
    }

    /** For a look at what went wrong. */
    final String state() {
        StringBuilder text = new StringBuilder(name()).append(": ").append(tally).append('\n');
        flows.forEach(flow -> text.append("  ").append(flow).append('\n'));
        opened.forEach(resource -> text.append("  ").append(resource).append('\n'));
        return text.toString();
    }

    /** Closed at the end, and shown when something goes wrong. */
    protected final <T extends AutoCloseable> T opened(T resource) {
        opened.add(resource);
        return resource;
    }

    protected final Selector selector() throws Exception {
        return opened(opening(site.provider()::openSelector));
    }

    protected final Poller poller() throws Exception {
        return opened(opening(() -> Poller.open(site.mechanism(), Integer.MAX_VALUE)));
    }

    /** A pipe with both ends non-blocking, which the caller closes. */
    protected final Pipe pipe() throws Exception {
        Pipe pipe = opening(site.provider()::openPipe);
        pipe.source().configureBlocking(false);
        pipe.sink().configureBlocking(false);
        return pipe;
    }

    /** Opens something, and tries again for as long as there is no descriptor left. */
    protected final <T> T opening(Callable<T> open) throws Exception {
        while (true) {
            try {
                T resource = open.call();
                tally.opened.increment();
                return resource;
            } catch (IOException e) {
                requireLimit(e);
                Thread.sleep(1);
            }
        }
    }

    /** Passes an exception on, unless it tells of the limit of descriptors. */
    protected final void requireLimit(IOException e) throws IOException {
        if (!String.valueOf(e.getMessage()).contains("Too many open files")) {
            throw e;
        }
        tally.refused.increment();
    }

    protected static int random(int bound) {
        return ThreadLocalRandom.current().nextInt(bound);
    }

    /** True once in so many times. */
    protected static boolean oneIn(int many) {
        return random(many) == 0;
    }

    /** Now and then nothing, a little or a millisecond passes, so that others block, or are about to. */
    protected static void pause() {
        int chance = random(64);
        if (chance == 0) {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
        } else if (chance < 8) {
            LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(random(100)));
        } else if (chance < 16) {
            Thread.yield();
        }
    }
}
