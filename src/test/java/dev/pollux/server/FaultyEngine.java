// SPDX-License-Identifier: Apache-2.0
package dev.pollux.server;

import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSession;

/** Another engine, but one of its methods throws what it may not, at its n-th call. */
final class FaultyEngine extends SSLEngine {
    /** What may fail. */
    enum Method { BEGIN, WRAP, UNWRAP, STATUS, TASK, SESSION, CLOSE, DONE }

    final Throwable error;
    private final SSLEngine engine;
    private final Method faulty;
    private final boolean recovers;
    private final AtomicInteger left;
    private volatile boolean hasFailed;

    FaultyEngine(SSLEngine engine, Method faulty, int n, boolean recovers) {
        this.engine = engine;
        this.faulty = faulty;
        this.recovers = recovers;
        left = new AtomicInteger(n);
        error = recovers ? new IllegalStateException("on purpose: " + faulty + n)
                : new AssertionError("on purpose: " + faulty + n);
    }

    boolean hasFailed() {
        return hasFailed;
    }

    private void call(Method method) {
        int now = method == faulty ? left.decrementAndGet() : 1;
        if (now == 0 || now < 0 && !recovers) {
            hasFailed = true;
            if (error instanceof RuntimeException e) {
                throw e;
            }
            throw (Error) error;
        }
    }

    @Override
    public void beginHandshake() throws SSLException {
        call(Method.BEGIN);
        engine.beginHandshake();
    }

    @Override
    public SSLEngineResult wrap(ByteBuffer[] sources, int offset, int length, ByteBuffer target) throws SSLException {
        call(Method.WRAP);
        return engine.wrap(sources, offset, length, target);
    }

    @Override
    public SSLEngineResult unwrap(ByteBuffer source, ByteBuffer[] targets, int offset, int length)
            throws SSLException {
        call(Method.UNWRAP);
        return engine.unwrap(source, targets, offset, length);
    }

    @Override
    public HandshakeStatus getHandshakeStatus() {
        call(Method.STATUS);
        return engine.getHandshakeStatus();
    }

    @Override
    public Runnable getDelegatedTask() {
        call(Method.TASK);
        return engine.getDelegatedTask();
    }

    @Override
    public SSLSession getSession() {
        call(Method.SESSION);
        return engine.getSession();
    }

    @Override
    public void closeOutbound() {
        call(Method.CLOSE);
        engine.closeOutbound();
    }

    @Override
    public boolean isOutboundDone() {
        call(Method.DONE);
        return engine.isOutboundDone();
    }

    @Override
    public void closeInbound() throws SSLException {
        engine.closeInbound();
    }

    @Override
    public boolean isInboundDone() {
        return engine.isInboundDone();
    }

    @Override
    public String[] getSupportedCipherSuites() {
        return engine.getSupportedCipherSuites();
    }

    @Override
    public String[] getEnabledCipherSuites() {
        return engine.getEnabledCipherSuites();
    }

    @Override
    public void setEnabledCipherSuites(String[] suites) {
        engine.setEnabledCipherSuites(suites);
    }

    @Override
    public String[] getSupportedProtocols() {
        return engine.getSupportedProtocols();
    }

    @Override
    public String[] getEnabledProtocols() {
        return engine.getEnabledProtocols();
    }

    @Override
    public void setEnabledProtocols(String[] protocols) {
        engine.setEnabledProtocols(protocols);
    }

    @Override
    public void setUseClientMode(boolean mode) {
        engine.setUseClientMode(mode);
    }

    @Override
    public boolean getUseClientMode() {
        return engine.getUseClientMode();
    }

    @Override
    public void setNeedClientAuth(boolean need) {
        engine.setNeedClientAuth(need);
    }

    @Override
    public boolean getNeedClientAuth() {
        return engine.getNeedClientAuth();
    }

    @Override
    public void setWantClientAuth(boolean want) {
        engine.setWantClientAuth(want);
    }

    @Override
    public boolean getWantClientAuth() {
        return engine.getWantClientAuth();
    }

    @Override
    public void setEnableSessionCreation(boolean enabled) {
        engine.setEnableSessionCreation(enabled);
    }

    @Override
    public boolean getEnableSessionCreation() {
        return engine.getEnableSessionCreation();
    }
}
