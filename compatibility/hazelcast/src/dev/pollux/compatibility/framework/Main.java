// SPDX-License-Identifier: Apache-2.0
package dev.pollux.compatibility.framework;

import com.hazelcast.client.HazelcastClient;
import com.hazelcast.client.config.ClientConfig;
import com.hazelcast.config.Config;
import com.hazelcast.config.JoinConfig;
import com.hazelcast.core.Hazelcast;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.map.IMap;
import dev.pollux.compatibility.Framework;
import dev.pollux.compatibility.Trial;
import java.io.IOException;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/** Two members that share a map with backups, and a client. */
public final class Main implements Framework {
    private static final int ENTRIES = 1500;
    private static final int SMALL = 1000;
    private static final int BIG = 1 << 20;
    private static final int BIG_EVERY = 500;

    private final List<HazelcastInstance> members = new ArrayList<>();
    private final List<String> addresses = new ArrayList<>();

    public static void main(String[] arguments) {
        Trial.run(new Main());
    }

    @Override
    public void start() throws IOException {
        System.setProperty("hazelcast.logging.type", "none");
        System.setProperty("hazelcast.phone.home.enabled", "false");
        List<Integer> ports = List.of(freePort(), freePort());
        ports.forEach(port -> addresses.add("127.0.0.1:" + port));
        for (int port : ports) {
            Config config = new Config().setClusterName("trial");
            config.getNetworkConfig().setPort(port).setPortAutoIncrement(false).setReuseAddress(true)
                    .getInterfaces().setEnabled(true).addInterface("127.0.0.1");
            JoinConfig join = config.getNetworkConfig().getJoin();
            join.getAutoDetectionConfig().setEnabled(false);
            join.getMulticastConfig().setEnabled(false);
            join.getTcpIpConfig().setEnabled(true).setMembers(addresses);
            members.add(Hazelcast.newHazelcastInstance(config));
        }
        if (members.get(0).getCluster().getMembers().size() != members.size()) {
            throw new IOException("the members did not join");
        }
    }

    private static int freePort() throws IOException {
        try (ServerSocket any = new ServerSocket(0)) {
            return any.getLocalPort();
        }
    }

    @Override
    public long drive() throws IOException {
        ClientConfig config = new ClientConfig().setClusterName("trial");
        config.getNetworkConfig().setAddresses(addresses);
        HazelcastInstance client = HazelcastClient.newHazelcastClient(config);
        try {
            IMap<Integer, byte[]> written = members.get(0).getMap("trial");
            for (int i = 0; i < ENTRIES; i++) {
                written.put(i, value(i));
            }
            return check(members.get(1).getMap("trial")) + check(client.getMap("trial"));
        } finally {
            client.shutdown();
        }
    }

    private static long check(IMap<Integer, byte[]> map) throws IOException {
        for (int i = 0; i < ENTRIES; i++) {
            if (!Arrays.equals(map.get(i), value(i))) {
                throw new IOException("another value of " + i);
            }
        }
        return ENTRIES;
    }

    private static byte[] value(int key) {
        byte[] value = new byte[key % BIG_EVERY == 0 ? BIG : SMALL];
        new Random(key).nextBytes(value);
        return value;
    }

    @Override
    public void stop() {
        members.forEach(HazelcastInstance::shutdown);
    }
}
