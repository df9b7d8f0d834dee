// SPDX-License-Identifier: Apache-2.0
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.server.embedded.ZooKeeperServerEmbedded;

/**
 * A broker and its clients in one virtual machine, for some seconds. In the last tenth of them the clients make no
 * pauses. Arguments: {@code kafka} or {@code zookeeper}, the seconds, an empty folder. Prints how much was done.
 */
public final class Broker {
    private static final byte[] VALUE = new byte[1000];

    private Broker() {
    }

    public static void main(String[] arguments) throws Exception {
        long time = TimeUnit.SECONDS.toNanos(Long.parseLong(arguments[1]));
        Path folder = Path.of(arguments[2]);
        if (arguments[0].equals("kafka")) {
            kafka(time, folder);
        } else {
            zooKeeper(time, folder);
        }
        System.exit(0);
    }

    private static int freePort() throws IOException {
        try (ServerSocket any = new ServerSocket(0)) {
            return any.getLocalPort();
        }
    }

    // Kafka: one broker that is its own controller, a producer, a consumer

    private static void kafka(long time, Path folder) throws Exception {
        int port = freePort();
        int controller = freePort();
        Path settings = folder.resolve("server.properties");
        Files.write(settings, List.of("process.roles=broker,controller", "node.id=1",
                "controller.quorum.voters=1@127.0.0.1:" + controller,
                "listeners=PLAINTEXT://127.0.0.1:" + port + ",CONTROLLER://127.0.0.1:" + controller,
                "advertised.listeners=PLAINTEXT://127.0.0.1:" + port, "controller.listener.names=CONTROLLER",
                "log.dirs=" + folder.resolve("logs"), "offsets.topic.replication.factor=1",
                "transaction.state.log.replication.factor=1", "transaction.state.log.min.isr=1",
                "group.initial.rebalance.delay.ms=0", "offsets.topic.num.partitions=1"));
        String id = org.apache.kafka.common.Uuid.randomUuid().toString();
        kafka.tools.StorageTool.execute(new String[] {"format", "-t", id, "-c", settings.toString()}, System.out);
        Thread broker = new Thread(() -> kafka.Kafka.main(new String[] {settings.toString()}), "kafka");
        broker.setDaemon(true);
        broker.start();

        Map<String, Object> client = new HashMap<>(Map.of("bootstrap.servers", "127.0.0.1:" + port, "group.id", "g",
                "auto.offset.reset", "earliest", "acks", "all", "linger.ms", "5",
                "key.serializer", "org.apache.kafka.common.serialization.LongSerializer",
                "value.serializer", "org.apache.kafka.common.serialization.ByteArraySerializer",
                "key.deserializer", "org.apache.kafka.common.serialization.LongDeserializer",
                "value.deserializer", "org.apache.kafka.common.serialization.ByteArrayDeserializer"));
        try (Admin admin = Admin.create(client)) {
            admin.createTopics(List.of(new NewTopic("t", 4, (short) 1))).all().get(60, TimeUnit.SECONDS);
        }
        long end = System.nanoTime() + time;
        long fullSpeed = end - time / 10;
        long sent = 0;
        long received = 0;
        try (KafkaProducer<Long, byte[]> producer = new KafkaProducer<>(client);
                KafkaConsumer<Long, byte[]> consumer = new KafkaConsumer<>(client)) {
            consumer.subscribe(List.of("t"));
            while (System.nanoTime() < end || received < sent) {
                if (System.nanoTime() < end) {
                    for (int i = 0; i < 20; i++) {
                        producer.send(new ProducerRecord<>("t", sent++, VALUE));
                    }
                } else {
                    producer.flush();
                }
                for (ConsumerRecord<Long, byte[]> one : consumer.poll(Duration.ofMillis(50))) {
                    if (one.value().length != VALUE.length) {
                        throw new IOException("a record of " + one.value().length + " bytes");
                    }
                    received++;
                }
                Thread.sleep(System.nanoTime() < fullSpeed ? 20 : 0);
            }
        }
        System.out.println("kafka: " + sent + " records sent, " + received + " received");
    }

    // ZooKeeper: one server, sessions that come and go

    private static void zooKeeper(long time, Path folder) throws Exception {
        int port = freePort();
        Properties settings = new Properties();
        settings.setProperty("clientPort", Integer.toString(port));
        settings.setProperty("dataDir", folder.resolve("data").toString());
        settings.setProperty("admin.enableServer", "false");
        settings.setProperty("maxClientCnxns", "0");
        long end = System.nanoTime() + time;
        long fullSpeed = end - time / 10;
        long done = 0;
        try (ZooKeeperServerEmbedded server = ZooKeeperServerEmbedded.builder().baseDir(folder)
                .configuration(settings).build()) {
            server.start();
            while (System.nanoTime() < end) {
                CountDownLatch connected = new CountDownLatch(1);
                try (ZooKeeper session = new ZooKeeper("127.0.0.1:" + port, 10_000, event -> {
                    if (event.getState() == Watcher.Event.KeeperState.SyncConnected) {
                        connected.countDown();
                    }
                })) {
                    if (!connected.await(30, TimeUnit.SECONDS)) {
                        throw new IOException("no session");
                    }
                    for (int i = 0; i < 200 && System.nanoTime() < end; i++, done++) {
                        use(session);
                        Thread.sleep(System.nanoTime() < fullSpeed ? 5 : 0);
                    }
                }
            }
        }
        System.out.println("zookeeper: " + done + " nodes made, watched, changed and deleted");
    }

    private static void use(ZooKeeper session) throws Exception {
        String path = session.create("/n", VALUE, ZooDefs.Ids.OPEN_ACL_UNSAFE, CreateMode.EPHEMERAL_SEQUENTIAL);
        CountDownLatch changed = new CountDownLatch(1);
        Watcher watcher = (WatchedEvent event) -> changed.countDown();
        if (session.getData(path, watcher, null).length != VALUE.length) {
            throw new IOException("another value");
        }
        session.setData(path, new byte[1], -1);
        if (!changed.await(30, TimeUnit.SECONDS)) {
            throw new IOException("a watch was not told");
        }
        session.delete(path, -1);
    }
}
