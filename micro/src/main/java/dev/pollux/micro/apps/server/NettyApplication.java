// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.apps.server;

import io.netty.example.http.helloworld.HttpHelloWorldServer;
import io.netty.util.Version;

/** Netty's example as Netty ships it, which uses the NIO transport. */
final class NettyApplication implements Application {
    @Override
    public void start(int port) throws Exception {
        System.setProperty("port", Integer.toString(port));
        HttpHelloWorldServer.main(new String[0]);
    }

    @Override
    public String version() {
        return Version.identify().get("netty-transport").artifactVersion();
    }
}
