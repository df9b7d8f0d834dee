// SPDX-License-Identifier: Apache-2.0
package dev.pollux.server;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.pollux.lab.Workbench;
import dev.pollux.server.ServerLab.Client;
import java.io.File;
import java.net.InetSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.Pipeline;
import redis.clients.jedis.Response;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.params.SetParams;

/** The page's Redis, as Redis' own clients and strangers see it. */
class RedisExampleTest {
    private static PageExamples examples;

    @BeforeAll
    static void compile(@TempDir Path folder) throws Exception {
        examples = new PageExamples(folder);
    }

    private static StreamServer start(ServerLab lab) throws Exception {
        return examples.start(lab, "Redis", Workbench.loopback(0));
    }

    private static Jedis jedis(ServerLab lab, StreamServer redis) {
        InetSocketAddress address = (InetSocketAddress) redis.address();
        return lab.opened(new Jedis(address.getHostString(), address.getPort()));
    }

    private static Client client(ServerLab lab, StreamServer redis) throws Exception {
        return lab.opened(new Client(SocketChannel.open(redis.address())));
    }

    private static String request(String... arguments) {
        StringBuilder request = new StringBuilder("*" + arguments.length + "\r\n");
        for (String argument : arguments) {
            request.append('$').append(argument.length()).append("\r\n").append(argument).append("\r\n");
        }
        return request.toString();
    }

    private static String redisCli(StreamServer redis, String... arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of("redis-cli", "-p",
                String.valueOf(((InetSocketAddress) redis.address()).getPort())));
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        process.getOutputStream().close();
        String output = new String(process.getInputStream().readAllBytes(), US_ASCII);
        assertEquals(0, process.waitFor(), output);
        return output.strip();
    }

    @EachMechanism
    void redisCliGetsWhatItAsksFor(ServerLab lab) throws Exception {
        assumeTrue(Stream.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator))
                .anyMatch(folder -> Files.isExecutable(Path.of(folder, "redis-cli"))), "there is no redis-cli");
        StreamServer redis = start(lab);
        assertEquals("PONG", redisCli(redis, "ping"));
        assertEquals("OK", redisCli(redis, "set", "greeting", "hello world"));
        assertEquals("hello world", redisCli(redis, "get", "greeting"));
        assertEquals("", redisCli(redis, "get", "nothing"));
        assertEquals("1", redisCli(redis, "exists", "greeting", "nothing"));
        assertEquals("OK", redisCli(redis, "SET", "short", "life", "EX", "1000"));
        assertEquals("1000", redisCli(redis, "TTL", "short"));
        assertEquals("ERR unknown command", redisCli(redis, "flushall"));
        assertEquals("1", redisCli(redis, "del", "greeting", "nothing"));
    }

    @EachMechanism
    void jedisGetsWhatItAsksFor(ServerLab lab) throws Exception {
        Jedis jedis = jedis(lab, start(lab));
        assertEquals("PONG", jedis.ping());
        assertEquals("an echo", jedis.echo("an echo"));
        String large = "x".repeat(500_000);
        for (String value : List.of("first", "again", "another length", "", large)) {
            assertEquals("OK", jedis.set("key", value));
            assertEquals(value, jedis.get("key"));
        }
        assertNull(jedis.get("nothing"));
        assertEquals(1, jedis.incr("n"));
        assertEquals(2, jedis.incr("n"));
        assertEquals("2", jedis.get("n"));
        assertEquals(2, jedis.exists("n", "key", "nothing"));
        assertEquals(2, jedis.del("n", "key", "nothing"));
        assertFalse(jedis.exists("n"));
        assertThrows(JedisDataException.class, () -> jedis.lpush("list", "value"));
        assertEquals("PONG", jedis.ping());
    }

    @EachMechanism
    void whatIsNoNumberIsRefusedAndKept(ServerLab lab) throws Exception {
        Jedis jedis = jedis(lab, start(lab));
        jedis.set("key", "text");
        assertThrows(JedisDataException.class, () -> jedis.incr("key"));
        assertEquals("text", jedis.get("key"));
        jedis.set("key", String.valueOf(Long.MAX_VALUE));
        assertThrows(JedisDataException.class, () -> jedis.incr("key"));
        assertEquals(String.valueOf(Long.MAX_VALUE), jedis.get("key"));
        assertThrows(JedisDataException.class, () -> jedis.expire("key", Long.MAX_VALUE));
        assertEquals(-1, jedis.ttl("key"));
    }

    @EachMechanism
    void keysEndWhenTheirTimeHasPassed(ServerLab lab) throws Exception {
        Jedis jedis = jedis(lab, start(lab));
        assertEquals(-2, jedis.ttl("key"));
        jedis.set("key", "value");
        assertEquals(-1, jedis.ttl("key"));
        assertEquals(1, jedis.expire("key", 1000));
        assertTrue(jedis.ttl("key") > 900);
        jedis.set("key", "value");
        assertEquals(-1, jedis.ttl("key"));
        jedis.set("key", "value", SetParams.setParams().px(1));
        jedis.set("other", "value", SetParams.setParams().ex(1000));
        Thread.sleep(2);
        assertNull(jedis.get("key"));
        assertEquals("value", jedis.get("other"));
        assertEquals(1, jedis.expire("other", -1));
        assertFalse(jedis.exists("other"));
        assertEquals(0, jedis.expire("other", 1000));
    }

    @EachMechanism
    void aPipelineIsAnsweredInOrder(ServerLab lab) throws Exception {
        Jedis jedis = jedis(lab, start(lab));
        List<Response<String>> values = new ArrayList<>();
        try (Pipeline pipeline = jedis.pipelined()) {
            for (int i = 0; i < 10_000; i++) {
                pipeline.set("key" + i % 10, "value" + i);
                values.add(pipeline.get("key" + i % 10));
            }
        }
        for (int i = 0; i < 10_000; i++) {
            assertEquals("value" + i, values.get(i).get());
        }
    }

    @EachMechanism
    void aKeyIsDeletedOnceThoughItIsNamedTwice(ServerLab lab) throws Exception {
        Jedis jedis = jedis(lab, start(lab));
        jedis.set("", "the empty key");
        assertEquals(0, jedis.del("nothing"));
        jedis.set("key", "value");
        assertEquals(2, jedis.exists("key", "key"));
        assertEquals(1, jedis.del("key", "key"));
        assertEquals("the empty key", jedis.get(""));
    }

    @EachMechanism
    void aCounterKeepsItsEnd(ServerLab lab) throws Exception {
        Jedis jedis = jedis(lab, start(lab));
        jedis.set("n", "9", SetParams.setParams().ex(1000));
        assertEquals(10, jedis.incr("n"));
        assertTrue(jedis.ttl("n") > 900);
    }

    @EachMechanism
    void requestsInPiecesAreUnderstood(ServerLab lab) throws Exception {
        Client client = client(lab, start(lab));
        for (char letter : (request("set", "key", "value") + request("Get", "key")).toCharArray()) {
            client.say(String.valueOf(letter));
        }
        client.assertHears("+OK\r\n$5\r\nvalue\r\n");
    }

    @EachMechanism
    void wrongArgumentsAreRefusedAndTheConnectionGoesOn(ServerLab lab) throws Exception {
        Client client = client(lab, start(lab));
        client.say(request("get") + request("ping", "one", "two") + request("set", "key", "value", "ex")
                + request("set", "key", "value", "nx", "1") + request("expire", "key", "soon") + request("get", "key"));
        client.assertHears("-ERR wrong number of arguments\r\n".repeat(2) + "-ERR syntax error\r\n".repeat(2)
                + "-ERR value is not an integer or out of range\r\n$-1\r\n");
    }

    @EachMechanism
    void whatIsNoRequestIsRefusedAndEndsTheConnection(ServerLab lab) throws Exception {
        StreamServer redis = start(lab);
        for (String wrong : List.of("ping\r\n", "*0\r\n", "*x\r\n", "*1001\r\n", "*1\r\n+3\r\n", "*1\r\n$-1\r\n",
                "*1\r\n$1048577\r\n", "*1\r\n$99999999999\r\n")) {
            Client client = client(lab, redis);
            client.say(request("ping") + wrong);
            client.assertHears("+PONG\r\n-ERR Protocol error\r\n");
            client.hearUntilTheEnd();
        }
    }

    /** Some KiB of requests ask for gigabytes. */
    @EachMechanism
    void aPeerThatDoesNotReadIsNotServedFurther(ServerLab lab) throws Exception {
        StreamServer redis = start(lab);
        Jedis jedis = jedis(lab, redis);
        jedis.set("key", "x".repeat(1_000_000));
        Client client = client(lab, redis);
        long before = redis.statistics().requests();
        client.say(request("get", "key").repeat(5000));
        while (redis.statistics().requests() == before) {
            Thread.sleep(1);
        }
        for (int i = 0; i < 100; i++) {
            assertEquals("PONG", jedis.ping());
        }
        long handled = redis.statistics().requests() - before - 100;
        assertTrue(handled < 100, "replies of a megabyte: " + handled);
    }
}
