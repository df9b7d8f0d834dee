// SPDX-License-Identifier: Apache-2.0
package dev.pollux.compatibility.framework;

import dev.pollux.compatibility.Framework;
import dev.pollux.compatibility.Trial;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Properties;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.server.embedded.ExitHandler;
import org.apache.zookeeper.server.embedded.ZooKeeperServerEmbedded;

/** One server, and sessions that come and go. Nodes are made, read, watched, changed and deleted. */
public final class Main implements Framework {
    private static final int SESSIONS = 10;
    private static final int NODES = 100;
    private static final int SIZE = 10_000;

    private ZooKeeperServerEmbedded server;
    private int port;

    public static void main(String[] arguments) {
        Trial.run(new Main());
    }

    @Override
    public void start() throws Exception {
        Path folder = Files.createTempDirectory("zookeeper");
        try (ServerSocket any = new ServerSocket(0)) {
            port = any.getLocalPort();
        }
        Properties settings = new Properties();
        settings.setProperty("clientPort", Integer.toString(port));
        settings.setProperty("clientPortAddress", "127.0.0.1");
        settings.setProperty("dataDir", folder.resolve("data").toString());
        settings.setProperty("admin.enableServer", "false");
        settings.setProperty("maxClientCnxns", "0");
        server = ZooKeeperServerEmbedded.builder().baseDir(folder).configuration(settings)
                .exitHandler(ExitHandler.LOG_ONLY).build();
        server.start();
    }

    @Override
    public long drive() throws Exception {
        for (int i = 0; i < SESSIONS; i++) {
            CountDownLatch connected = new CountDownLatch(1);
            try (ZooKeeper session = new ZooKeeper("127.0.0.1:" + port, 30_000, event -> {
                if (event.getState() == Watcher.Event.KeeperState.SyncConnected) {
                    connected.countDown();
                }
            })) {
                expect(connected, "a session");
                for (int n = 0; n < NODES; n++) {
                    use(session, n);
                }
            }
        }
        return (long) SESSIONS * NODES * 4;
    }

    private static void use(ZooKeeper session, int seed) throws Exception {
        byte[] value = new byte[SIZE];
        new Random(seed).nextBytes(value);
        String path = session.create("/n", value, ZooDefs.Ids.OPEN_ACL_UNSAFE, CreateMode.EPHEMERAL_SEQUENTIAL);
        CountDownLatch changed = new CountDownLatch(1);
        if (!Arrays.equals(session.getData(path, event -> changed.countDown(), null), value)) {
            throw new IOException("another value");
        }
        session.setData(path, new byte[1], -1);
        expect(changed, "a watch");
        session.delete(path, -1);
    }

    private static void expect(CountDownLatch latch, String what) throws Exception {
        if (!latch.await(60, TimeUnit.SECONDS)) {
            throw new IOException(what + " heard nothing");
        }
    }

    @Override
    public void stop() {
        server.close();
    }
}
