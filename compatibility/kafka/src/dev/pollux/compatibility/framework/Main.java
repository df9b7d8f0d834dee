// SPDX-License-Identifier: Apache-2.0
package dev.pollux.compatibility.framework;

import dev.pollux.compatibility.Framework;
import dev.pollux.compatibility.Trial;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import kafka.server.KafkaConfig;
import kafka.server.KafkaRaftServer;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.utils.Time;

/** One broker that is its own controller, and clients: an admin, a producer, a consumer. */
public final class Main implements Framework {
    private static final int RECORDS = 10_000;
    private static final int SIZE = 1000;

    private KafkaRaftServer broker;
    private int port;

    public static void main(String[] arguments) {
        Trial.run(new Main());
    }

    @Override
    public void start() throws IOException {
        Path folder = Files.createTempDirectory("kafka");
        port = freePort();
        int controller = freePort();
        Properties settings = new Properties();
        settings.putAll(Map.of("process.roles", "broker,controller", "node.id", "1",
                "controller.quorum.voters", "1@127.0.0.1:" + controller,
                "listeners", "PLAINTEXT://127.0.0.1:" + port + ",CONTROLLER://127.0.0.1:" + controller,
                "advertised.listeners", "PLAINTEXT://127.0.0.1:" + port, "controller.listener.names", "CONTROLLER",
                "log.dirs", folder.resolve("logs").toString()));
        settings.putAll(Map.of("offsets.topic.replication.factor", "1", "offsets.topic.num.partitions", "1",
                "transaction.state.log.replication.factor", "1", "transaction.state.log.min.isr", "1",
                "group.initial.rebalance.delay.ms", "0"));
        Path file = folder.resolve("server.properties");
        try (var out = Files.newBufferedWriter(file)) {
            settings.store(out, null);
        }
        String id = Uuid.randomUuid().toString();
        kafka.tools.StorageTool.execute(new String[] {"format", "-t", id, "-c", file.toString()}, System.err);
        broker = new KafkaRaftServer(KafkaConfig.fromProps(settings), Time.SYSTEM);
        broker.startup();
    }

    private static int freePort() throws IOException {
        try (ServerSocket any = new ServerSocket(0)) {
            return any.getLocalPort();
        }
    }

    @Override
    public long drive() throws Exception {
        Map<String, Object> client = new HashMap<>(Map.of("bootstrap.servers", "127.0.0.1:" + port, "group.id", "g",
                "auto.offset.reset", "earliest", "acks", "all",
                "key.serializer", "org.apache.kafka.common.serialization.IntegerSerializer",
                "value.serializer", "org.apache.kafka.common.serialization.ByteArraySerializer",
                "key.deserializer", "org.apache.kafka.common.serialization.IntegerDeserializer",
                "value.deserializer", "org.apache.kafka.common.serialization.ByteArrayDeserializer"));
        try (Admin admin = Admin.create(client)) {
            admin.createTopics(List.of(new NewTopic("t", 4, (short) 1))).all().get(60, TimeUnit.SECONDS);
        }
        BitSet received = new BitSet();
        try (KafkaProducer<Integer, byte[]> producer = new KafkaProducer<>(client);
                KafkaConsumer<Integer, byte[]> consumer = new KafkaConsumer<>(client)) {
            consumer.subscribe(List.of("t"));
            for (int key = 0; key < RECORDS; key++) {
                producer.send(new ProducerRecord<>("t", key, value(key)));
            }
            producer.flush();
            long deadline = System.nanoTime() + TimeUnit.MINUTES.toNanos(1);
            while (received.cardinality() < RECORDS && System.nanoTime() < deadline) {
                for (ConsumerRecord<Integer, byte[]> one : consumer.poll(Duration.ofMillis(100))) {
                    check(one, received);
                }
            }
        }
        if (received.cardinality() != RECORDS) {
            throw new IOException("only " + received.cardinality() + " records came");
        }
        return RECORDS;
    }

    private static void check(ConsumerRecord<Integer, byte[]> record, BitSet received) throws IOException {
        if (received.get(record.key()) || !Arrays.equals(record.value(), value(record.key()))) {
            throw new IOException("record " + record.key() + " came twice, or changed");
        }
        received.set(record.key());
    }

    private static byte[] value(int key) {
        byte[] value = new byte[SIZE];
        new Random(key).nextBytes(value);
        return value;
    }

    @Override
    public void stop() {
        broker.shutdown();
        broker.awaitShutdown();
    }
}
