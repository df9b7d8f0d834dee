// SPDX-License-Identifier: Apache-2.0
package dev.pollux.poller;

import java.io.FileDescriptor;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.SocketAddress;
import java.net.SocketImpl;

/** An implementation of sockets that is not the JDK's: it has a FileDescriptor, and does nothing. */
final class ForeignSocketImpl extends SocketImpl {

    ForeignSocketImpl(FileDescriptor file) {
        fd = file;
    }

    @Override
    protected void create(boolean stream) {
        // nothing to create
    }

    @Override
    protected void connect(String host, int port) {
        // is connected
    }

    @Override
    protected void connect(InetAddress address, int port) {
        // is connected
    }

    @Override
    protected void connect(SocketAddress address, int timeout) {
        // is connected
    }

    @Override
    protected void bind(InetAddress host, int port) {
        // is bound
    }

    @Override
    protected void listen(int backlog) {
        // no server
    }

    @Override
    protected void accept(SocketImpl other) {
        // no server
    }

    @Override
    protected InputStream getInputStream() {
        return InputStream.nullInputStream();
    }

    @Override
    protected OutputStream getOutputStream() {
        return OutputStream.nullOutputStream();
    }

    @Override
    protected int available() {
        return 0;
    }

    @Override
    protected void close() {
        // the FileDescriptor is its owner's
    }

    @Override
    protected void sendUrgentData(int data) {
        // goes nowhere
    }

    @Override
    public Object getOption(int option) {
        return null;
    }

    @Override
    public void setOption(int option, Object value) {
        // has none
    }
}
