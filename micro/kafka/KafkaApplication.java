// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.apps.server;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Properties;
import kafka.server.KafkaConfig;
import kafka.server.KafkaRaftServer;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.common.utils.internals.AppInfoParser;

/** Kafka's broker, which is its own controller. Compiled by run.sh, with what is in pom.xml here. */
final class KafkaApplication implements Application {
    @Override
    public void start(int port) throws IOException {
        Path folder = Files.createTempDirectory("kafka");
        int controller = ServerProcess.freePort();
        Properties settings = new Properties();
        settings.putAll(Map.of("process.roles", "broker,controller", "node.id", "1",
                "controller.quorum.voters", "1@127.0.0.1:" + controller,
                "listeners", "PLAINTEXT://127.0.0.1:" + port + ",CONTROLLER://127.0.0.1:" + controller,
                "advertised.listeners", "PLAINTEXT://127.0.0.1:" + port, "controller.listener.names", "CONTROLLER",
                "log.dirs", folder.resolve("logs").toString(), "offsets.topic.replication.factor", "1"));
        Path file = folder.resolve("server.properties");
        try (var out = Files.newBufferedWriter(file)) {
            settings.store(out, null);
        }
        String id = Uuid.randomUuid().toString();
        kafka.tools.StorageTool.execute(new String[] {"format", "-t", id, "-c", file.toString()}, System.err);
        new KafkaRaftServer(KafkaConfig.fromProps(settings), Time.SYSTEM).startup();
    }

    @Override
    public String version() {
        return AppInfoParser.getVersion();
    }
}
