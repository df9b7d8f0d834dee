// SPDX-License-Identifier: Apache-2.0
package dev.pollux.server;

import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicReference;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSession;

/** An engine that fails at its nth call, and at each one after it, as no engine of the JDK does. */
class FailingEngine extends SSLEngine {
    private final SSLEngine engine;
    private final Throwable thrown;

    /** Calls that are left until it fails. */
    private int left;

    /** It has failed: the call. Set by the loop's thread. */
    final AtomicReference<String> failed = new AtomicReference<>();

    FailingEngine(SSLEngine engine, int nth, Throwable thrown) {
        this.engine = engine;
        this.thrown = thrown;
        left = nth;
    }

    private synchronized void call(String name) {
        if (--left <= 0) {
            failed.compareAndSet(null, name);
            FailingEngine.<RuntimeException>throwUnchecked(thrown);
        }
    }

    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
    static <T extends Throwable> void throwUnchecked(Throwable thrown) throws T {
        throw (T) thrown;
    }

    @Override
    public SSLEngineResult wrap(ByteBuffer[] from, int first, int count, ByteBuffer to) throws SSLException {
        call("wrap");
        return engine.wrap(from, first, count, to);
    }

    @Override
    public SSLEngineResult unwrap(ByteBuffer from, ByteBuffer[] to, int first, int count) throws SSLException {
        call("unwrap");
        return engine.unwrap(from, to, first, count);
    }

    @Override
    public Runnable getDelegatedTask() {
        call("getDelegatedTask");
        return engine.getDelegatedTask();
    }

    @Override
    public void closeInbound() throws SSLException {
        call("closeInbound");
        engine.closeInbound();
    }

    @Override
    public boolean isInboundDone() {
        call("isInboundDone");
        return engine.isInboundDone();
    }

    @Override
    public void closeOutbound() {
        call("closeOutbound");
        engine.closeOutbound();
    }

    @Override
    public boolean isOutboundDone() {
        call("isOutboundDone");
        return engine.isOutboundDone();
    }

    @Override
    public SSLSession getSession() {
        call("getSession");
        return engine.getSession();
    }

    @Override
    public void beginHandshake() throws SSLException {
        call("beginHandshake");
        engine.beginHandshake();
    }

    @Override
    public HandshakeStatus getHandshakeStatus() {
        call("getHandshakeStatus");
        return engine.getHandshakeStatus();
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
    public void setUseClientMode(boolean isClient) {
        engine.setUseClientMode(isClient);
    }

    @Override
    public boolean getUseClientMode() {
        return engine.getUseClientMode();
    }

    @Override
    public void setNeedClientAuth(boolean needs) {
        engine.setNeedClientAuth(needs);
    }

    @Override
    public boolean getNeedClientAuth() {
        return engine.getNeedClientAuth();
    }

    @Override
    public void setWantClientAuth(boolean wants) {
        engine.setWantClientAuth(wants);
    }

    @Override
    public boolean getWantClientAuth() {
        return engine.getWantClientAuth();
    }

    @Override
    public void setEnableSessionCreation(boolean may) {
        engine.setEnableSessionCreation(may);
    }

    @Override
    public boolean getEnableSessionCreation() {
        return engine.getEnableSessionCreation();
    }
}
