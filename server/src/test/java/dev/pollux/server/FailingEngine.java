// SPDX-License-Identifier: Apache-2.0
package dev.pollux.server;

import java.nio.ByteBuffer;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSession;

/** Another engine, but some of its methods throw what they may not, from their n-th call together on, or then alone. */
public class FailingEngine extends SSLEngine {
    /** What may fail. */
    public enum Method { BEGIN, WRAP, UNWRAP, STATUS, TASK, SESSION, CLOSE, DONE, CLOSE_IN, DONE_IN }

    private final SSLEngine engine;
    private final Set<Method> faulty;
    private final boolean recovers;
    private final Throwable thrown;

    /** Calls that are left until it fails. */
    private int left;

    /** It has failed: in this method first. Set by the loop's thread, or by one that runs its tasks. */
    final AtomicReference<Method> failed = new AtomicReference<>();

    public FailingEngine(SSLEngine engine, Set<Method> faulty, int nth, boolean recovers, Throwable thrown) {
        this.engine = engine;
        this.faulty = faulty;
        this.recovers = recovers;
        this.thrown = thrown;
        left = nth;
    }

    /** Fails at its nth call, whatever it is, and at each one after it. */
    public FailingEngine(SSLEngine engine, int nth, Throwable thrown) {
        this(engine, EnumSet.allOf(Method.class), nth, false, thrown);
    }

    private synchronized void call(Method method) {
        if (faulty.contains(method)) {
            left--;
            if (left == 0 || left < 0 && !recovers) {
                failed.compareAndSet(null, method);
                FailingEngine.<RuntimeException>throwUnchecked(thrown);
            }
        }
    }

    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
    static <T extends Throwable> void throwUnchecked(Throwable thrown) throws T {
        throw (T) thrown;
    }

    @Override
    public SSLEngineResult wrap(ByteBuffer[] from, int first, int count, ByteBuffer to) throws SSLException {
        call(Method.WRAP);
        return engine.wrap(from, first, count, to);
    }

    @Override
    public SSLEngineResult unwrap(ByteBuffer from, ByteBuffer[] to, int first, int count) throws SSLException {
        call(Method.UNWRAP);
        return engine.unwrap(from, to, first, count);
    }

    @Override
    public Runnable getDelegatedTask() {
        call(Method.TASK);
        return engine.getDelegatedTask();
    }

    @Override
    public void closeInbound() throws SSLException {
        call(Method.CLOSE_IN);
        engine.closeInbound();
    }

    @Override
    public boolean isInboundDone() {
        call(Method.DONE_IN);
        return engine.isInboundDone();
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
    public SSLSession getSession() {
        call(Method.SESSION);
        return engine.getSession();
    }

    @Override
    public void beginHandshake() throws SSLException {
        call(Method.BEGIN);
        engine.beginHandshake();
    }

    @Override
    public HandshakeStatus getHandshakeStatus() {
        call(Method.STATUS);
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
