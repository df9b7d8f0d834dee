// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micrometer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.EPollSelectorProvider;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What registries show of a selector that serves, before and after another one takes its place. */
class PolluxMetricsTest {
    private static final int REQUESTS = 1000;
    private static final Tags SERVER = Tags.of("kind", "selector", "mechanism", "epoll", "slot", "0");
    private static final Pattern RULE = Pattern.compile("    name: (?:&\\w+ )?(pollux_\\w+)\\n(?:    (?!help).*\\n)*"
            + "    help: (?:&\\w+ )?\"?(.+?)\"?\\n    type: (\\w+)");

    private final EPollSelectorProvider provider = new EPollSelectorProvider();
    private final MeterRegistry simple = new SimpleMeterRegistry();
    private final PrometheusMeterRegistry prometheus = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final PolluxMetrics metrics = new PolluxMetrics();

    /** Answers each byte with the same byte. */
    private final class Server implements AutoCloseable {
        private final Selector selector = provider.openSelector();
        private final ServerSocketChannel listening = provider.openServerSocketChannel();
        private final ByteBuffer one = ByteBuffer.allocateDirect(1);
        private final Thread thread = new Thread(this::serve, "server");

        Server() throws IOException {
            listening.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            listening.configureBlocking(false);
        }

        Server start() throws IOException {
            listening.register(selector, SelectionKey.OP_ACCEPT);
            thread.start();
            return this;
        }

        private void serve() {
            try {
                while (selector.isOpen()) {
                    selector.select(this::answer);
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            } catch (ClosedSelectorException e) {
                return; // between two selections
            }
        }

        private void answer(SelectionKey key) {
            try {
                if (key.isAcceptable()) {
                    listening.accept().configureBlocking(false).register(selector, SelectionKey.OP_READ);
                } else if (((SocketChannel) key.channel()).read(one.clear()) < 0) {
                    key.channel().close();
                } else {
                    ((SocketChannel) key.channel()).write(one.flip());
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        void ask() throws IOException {
            InetSocketAddress address = (InetSocketAddress) listening.getLocalAddress();
            try (Socket client = new Socket(address.getAddress(), address.getPort())) {
                client.setTcpNoDelay(true);
                OutputStream out = client.getOutputStream();
                InputStream in = client.getInputStream();
                for (int i = 0; i < REQUESTS; i++) {
                    out.write(i);
                    assertEquals(i & 0xff, in.read());
                }
            }
        }

        @Override
        public void close() throws IOException {
            selector.close();
            listening.close();
        }
    }

    @AfterEach
    void close() {
        metrics.close();
        assertEquals(List.of(), simple.getMeters().stream().map(Meter::getId).toList());
        assertEquals(List.of(), prometheus.getMeters().stream().map(Meter::getId).toList());
    }

    private static void await(BooleanSupplier condition) throws InterruptedException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (!condition.getAsBoolean()) {
            assertTrue(System.nanoTime() < end, "it does not happen");
            Thread.sleep(50);
        }
    }

    private double selections() {
        FunctionCounter found = simple.find("pollux.loop.selections").tags(SERVER).functionCounter();
        return found == null ? -1 : found.count();
    }

    private double counted(String bound) {
        return simple.get("pollux.loop.busy.stretches").tags(SERVER).tag("up_to", bound).functionCounter().count();
    }

    @Test
    void meters() throws Exception {
        metrics.bindTo(simple);
        metrics.bindTo(prometheus);
        Server next = new Server(); // has no slot, as nothing is registered
        double before;
        try (Server server = new Server().start()) {
            server.ask();
            assertEquals(-1, selections(), "it has no slot yet");
            await(() -> selections() > 0 && prometheus.scrape().contains("slot=\"0\""));
            show();
            shownAsByTheExporter();
            promtoolFindsNoFault();
            server.ask();
            await(() -> selections() >= 2 * REQUESTS);
            before = selections();
        }
        try (Server server = next.start()) { // takes the slot of the one before
            server.ask();
            long meters = simple.getMeters().size();
            temporaries();
            await(() -> selections() > before);
            assertTrue(selections() >= before + REQUESTS, "counters go on");
            assertEquals(meters, simple.getMeters().size());
        }
        await(() -> selections() < 0);
        await(() -> !prometheus.scrape().contains("pollux_loop_"));
    }

    private void show() {
        assertEquals("selections", simple.get("pollux.loop.selections").meter().getId().getBaseUnit());
        assertEquals(1, simple.get("pollux.loop.keys").tags(SERVER).gauge().value(), "the listening socket's");
        assertEquals(0, simple.get("pollux.loop.stalled").tags(SERVER).gauge().value());
        assertEquals(0, simple.get("pollux.loops.stalled").gauge().value());
        assertTrue(simple.get("pollux.loops.open").gauge().value() >= 1);
        assertEquals(0, simple.get("pollux.loop.blocked").tags(SERVER).gauge().value());
        assertEquals(0, simple.get("pollux.loops.lost").gauge().value());
        assertEquals(0, simple.get("pollux.loops.blocked").gauge().value());
        double blocked = simple.get("pollux.loop.blocked.seconds").tags(SERVER).functionCounter().count();
        double elapsed = simple.get("pollux.loop.elapsed").tags(SERVER).functionCounter().count();
        assertTrue(blocked > 1 && blocked < elapsed && elapsed < 100, blocked + " of " + elapsed + " seconds");
        double longest = simple.get("pollux.loop.longest.busy").tags(SERVER).timeGauge().value(TimeUnit.SECONDS);
        assertTrue(longest > 0 && longest < 60, longest + " seconds");
        assertTrue(counted("+Inf") >= REQUESTS / 10 && counted("0.001") > 0);
        assertTrue(counted("0.001") <= counted("0.1") && counted("10.0") <= counted("+Inf"));
        for (Meter meter : simple.getMeters()) {
            assertNotNull(meter.getId().getDescription(), meter.getId().getName());
            assertNull(meter.getId().getTag("thread"));
        }
    }

    /**
     * One query is for both ways: {@code PrometheusIT} compares the same rules with what the exporter shows, and {@code
     * MetricsTest} with the rules of {@code promtool check metrics}.
     */
    private void shownAsByTheExporter() throws IOException {
        Set<String> expected = new TreeSet<>();
        String rules = Files.readString(Path.of("docs/prometheus.yml")).replaceAll("\n {6,}", " ");
        RULE.matcher(rules).results().forEach(rule -> {
            expected.add("# HELP " + rule.group(1) + ' ' + rule.group(2));
            expected.add("# TYPE " + rule.group(1) + ' ' + rule.group(3).toLowerCase(Locale.ROOT));
        });
        expected.removeIf(line -> line.contains(" pollux_loop_waiting ")); // pollux_loop_waiting_seconds tells
        String page = prometheus.scrape();
        assertEquals(expected, page.lines().filter(line -> line.startsWith("#"))
                .collect(Collectors.toCollection(TreeSet::new)));
        Set<String> labels = Pattern.compile("(\\w+)=\"").matcher(page).results().map(label -> label.group(1))
                .collect(Collectors.toCollection(TreeSet::new));
        assertEquals(Set.of("kind", "mechanism", "slot", "up_to"), labels, "le belongs to histograms alone");
    }

    /** Where it is installed. */
    private void promtoolFindsNoFault() throws IOException, InterruptedException {
        if (Stream.of(System.getenv("PATH").split(File.pathSeparator))
                .noneMatch(dir -> Files.isExecutable(Path.of(dir, "promtool")))) {
            return;
        }
        Process promtool = new ProcessBuilder("promtool", "check", "metrics").redirectErrorStream(true).start();
        try (OutputStream page = promtool.getOutputStream()) {
            page.write(prometheus.scrape().getBytes(StandardCharsets.UTF_8));
        }
        assertEquals("", new String(promtool.getInputStream().readAllBytes(), StandardCharsets.UTF_8));
        assertEquals(0, promtool.waitFor());
    }

    /** Selectors that live for a moment get no meters. */
    private void temporaries() throws IOException {
        for (int i = 0; i < 100; i++) {
            try (Selector selector = provider.openSelector();
                    ServerSocketChannel channel = provider.openServerSocketChannel()) {
                channel.bind(null).configureBlocking(false).register(selector, SelectionKey.OP_ACCEPT);
                assertEquals(0, selector.select(1));
            }
        }
        assertFalse(simple.getMeters().isEmpty());
    }
}
