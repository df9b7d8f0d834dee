// SPDX-License-Identifier: Apache-2.0
package dev.pollux.server;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.internal.tls.TlsLab;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;

/** Has the next task of a handshake wait, in the middle of the engine, until a test lets it go on. Others pass. */
final class TlsGate implements AutoCloseable {
    private final AtomicBoolean isShut = new AtomicBoolean();
    private final CountDownLatch isReached = new CountDownLatch(1);
    private final CountDownLatch isOpen = new CountDownLatch(1);
    private final SSLContext context;

    TlsGate() throws Exception {
        context = TlsLab.context(this::pass);
    }

    void pass() {
        if (isShut.compareAndSet(true, false)) {
            isReached.countDown();
            try {
                isOpen.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    /** An engine for a server, whose tasks pass here. */
    SSLEngine engine() {
        SSLEngine engine = context.createSSLEngine();
        engine.setUseClientMode(false);
        return engine;
    }

    void shut() {
        isShut.set(true);
    }

    void awaitTask() throws InterruptedException {
        assertTrue(isReached.await(ServerLab.PATIENCE, TimeUnit.NANOSECONDS), "no task has come");
    }

    void open() {
        isOpen.countDown();
    }

    @Override
    public void close() {
        open();
    }
}
