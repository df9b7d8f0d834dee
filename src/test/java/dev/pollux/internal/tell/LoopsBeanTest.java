// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.tell;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.EPollSelectorProvider;
import dev.pollux.Poller;
import dev.pollux.Pollux;
import dev.pollux.internal.count.Loop;
import dev.pollux.internal.count.LoopStatistics;
import dev.pollux.internal.verdict.Evidence;
import dev.pollux.internal.verdict.SpinKind;
import dev.pollux.internal.verdict.SpinReport;
import dev.pollux.internal.verdict.Told;
import dev.pollux.internal.verdict.Verdict;
import dev.pollux.internal.verdict.WakeupStormReport;
import dev.pollux.lab.Job;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import javax.management.Attribute;
import javax.management.AttributeNotFoundException;
import javax.management.InstanceNotFoundException;
import javax.management.JMX;
import javax.management.MBeanAttributeInfo;
import javax.management.MBeanServer;
import javax.management.Notification;
import javax.management.NotificationListener;
import javax.management.ObjectName;
import javax.management.ReflectionException;
import javax.management.RuntimeMBeanException;
import javax.management.openmbean.CompositeData;
import javax.management.openmbean.OpenMBeanAttributeInfo;
import javax.management.openmbean.TabularData;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The MBean, read as a management tool reads it. */
class LoopsBeanTest {
    private static final MBeanServer SERVER = ManagementFactory.getPlatformMBeanServer();

    private final EPollSelectorProvider provider = new EPollSelectorProvider();
    private ObjectName name;
    private long last;

    @BeforeEach
    void register() throws Exception {
        name = new ObjectName("dev.pollux:type=Loops");
        Selector before = provider.openSelector();
        last = rows().stream().mapToLong(row -> (Long) row.get("loop")).max().orElseThrow();
        before.close();
    }

    @AfterEach
    void unregister() {
        Pollux.unregisterMBeans();
    }

    private Object read(String attribute) {
        try {
            return SERVER.getAttribute(name, attribute);
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    private List<CompositeData> rows() {
        Pollux.registerMBeans();
        List<CompositeData> rows = new ArrayList<>();
        ((TabularData) read("Loops")).values().forEach(row -> rows.add((CompositeData) row));
        return rows;
    }

    /** Of a loop that this test has opened. */
    private CompositeData await(Predicate<CompositeData> condition) throws InterruptedException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
        while (true) {
            for (CompositeData row : rows()) {
                if ((Long) row.get("loop") > last && condition.test(row)) {
                    return row;
                }
            }
            assertTrue(System.nanoTime() < end, "waited in vain");
            Thread.sleep(1);
        }
    }

    private static Predicate<CompositeData> is(String column, Object value) {
        return row -> row.get(column).equals(value);
    }

    private static Pipe register(Selector selector) throws IOException {
        Pipe pipe = selector.provider().openPipe();
        pipe.source().configureBlocking(false).register(selector, SelectionKey.OP_READ);
        return pipe;
    }

    private static void close(Pipe pipe) throws IOException {
        pipe.source().close();
        pipe.sink().close();
    }

    private static void handleSlowly(CountDownLatch end) throws InterruptedException {
        end.await();
    }

    @Test
    void theTableHasWhatASelectorHasDone() throws Exception {
        try (Selector selector = provider.openSelector()) {
            Pipe pipe = register(selector);
            CompositeData row;
            try (Job<Integer> selecting = new Job<>(selector::select)) {
                row = await(is("waiting", true));
                assertEquals("test-job", row.get("thread"));
                assertEquals(selecting.thread().getId(), row.get("threadId"));
                assertTrue((Long) row.get("waitingNanos") > 0);
                assertEquals(0L, row.get("busyNanos"));
                selector.wakeup();
                assertEquals(0, selecting.result());
            }
            pipe.sink().write(ByteBuffer.allocate(1));
            assertEquals(1, selector.selectNow());
            row = await(is("selections", 2L));
            assertEquals("selector", row.get("kind"));
            assertEquals("epoll", row.get("mechanism"));
            assertEquals(1L, row.get("keys"));
            assertEquals(0L, row.get("refusedKeys"));
            assertEquals(1L, row.get("ready"));
            assertEquals(1L, row.get("blockedWaits"));
            assertEquals(1L, row.get("wakeups"));
            assertEquals(1L, row.get("wakeupCalls"));
            assertEquals(1L, row.get("changes"));
            for (String none : List.of("refusals", "oneShotArmings", "lazyDisarms", "outOfBandBytes", "spins",
                    "wakeupStorms", "waitingNanos")) {
                assertEquals(0L, row.get(none), none);
            }
            long elapsed = (Long) row.get("elapsedNanos");
            long blocked = (Long) row.get("blockedNanos");
            assertTrue(blocked > 0 && blocked < elapsed);
            assertEquals(1 - (double) blocked / elapsed, row.get("utilization"));
            assertEquals(2L, row.get("busySelections"));
            assertTrue((Long) row.get("busyNanos") > 0);
            assertTrue((Long) row.get("longestBusyNanos") >= (Long) row.get("busyNanos"));
            assertEquals(false, row.get("waiting"));
            assertEquals(-1L, row.get("slot"), "it is too young");
            assertEquals("", row.get("lastSpin"));
            assertTrue(((String) row.get("gate")).contains("; signals: "), row::toString);
            assertEquals(1L, row.get("busyStretches"), "from the first selection to its wait");
            assertEquals(1L, row.get("busyStretchesUpTo10s"));
            assertTrue((Boolean) await(is("lostThread", true)).get("lostThread"), "the job's thread ends");
            close(pipe);
        }
        assertTrue(rows().stream().allMatch(row -> (Long) row.get("loop") <= last), "it is closed");
    }

    @Test
    void aHandlerThatDoesNotReturnIsShownWithItsStack() throws Exception {
        CountDownLatch end = new CountDownLatch(1);
        try (Selector selector = provider.openSelector()) {
            Pipe pipe = register(selector);
            Job<Integer> serving = new Job<>(() -> {
                int ready = selector.select();
                handleSlowly(end);
                return ready;
            });
            CompositeData waiting = await(is("waiting", true));
            assertEquals("", waiting.get("stack"));
            assertTrue(stack(waiting.get("loop")).contains("PolluxSelector.doSelect"));
            pipe.sink().write(ByteBuffer.allocate(1));
            CompositeData stalled = await(is("stalled", true));
            assertTrue(((String) stalled.get("stack")).contains("LoopsBeanTest.handleSlowly"));
            assertTrue(stack(stalled.get("loop")).contains("LoopsBeanTest.handleSlowly"));
            assertTrue((Long) read("Stalled") >= 1);
            assertTrue((Long) read("LongestBusyNanos") >= (Long) stalled.get("busyNanos"));
            end.countDown();
            assertEquals(1, serving.result());
            serving.close();
            close(pipe);
        }
    }

    private String stack(Object number) throws Exception {
        return (String) SERVER.invoke(name, "stack", new Object[] {number}, new String[] {Long.class.getName()});
    }

    @Test
    void pollersAreInTheTable() throws Exception {
        try (Poller poller = new Poller()) {
            CompositeData polling = await(is("kind", "Poller"));
            assertEquals(poller.mechanism(), polling.get("mechanism"));
            assertEquals("", polling.get("thread"));
        }
    }

    @Test
    void theSumsAreThoseOfTheTable() throws Exception {
        List<Selector> many = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            many.add(provider.openSelector());
            many.get(i).selectNow();
        }
        List<Attribute> read = SERVER.getAttributes(name, new String[] {"Open", "Selections", "Loops"}).asList();
        TabularData table = (TabularData) read.get(2).getValue();
        long selections = table.values().stream()
                .mapToLong(row -> (Long) ((CompositeData) row).get("selections")).sum();
        assertEquals(table.size(), read.get(0).getValue());
        assertEquals(selections, read.get(1).getValue());
        assertTrue(table.size() >= 50 && selections >= 50);
        for (Selector each : many) {
            each.close();
        }
    }

    @Test
    void everyAttributeHasADescriptionAndItsValueIsOfItsType() throws Exception {
        MBeanAttributeInfo[] all = SERVER.getMBeanInfo(name).getAttributes();
        assertEquals(61, all.length);
        for (MBeanAttributeInfo each : all) {
            assertFalse(each.getDescription().equals(each.getName()));
            assertTrue(((OpenMBeanAttributeInfo) each).getOpenType().isValue(read(each.getName())), each.getName());
        }
    }

    @Test
    void listenersHearWhatLoopsFind() throws Exception {
        rows();
        BlockingQueue<Notification> heard = new LinkedBlockingQueue<>();
        NotificationListener listener = (notification, handback) -> heard.add(notification);
        SERVER.addNotificationListener(name, listener, null, "mine");
        String channel = "SocketChannel[\n]";
        try (Selector selector = provider.openSelector()) {
            LoopStatistics statistics = ((Loop) selector).statistics();
            assertTrue(statistics.observer().recordsRefusals());
            String thread = Thread.currentThread().getName();
            Told.find((Loop) selector, new SpinReport(SpinKind.DATA_NOT_READ, statistics.number(), "epoll", thread,
                    channel, SelectionKey.OP_READ, SelectionKey.OP_READ, null, 7, 5000, false, null, "", ""));
            Told.find((Loop) selector, new WakeupStormReport(statistics.number(), "epoll", thread, true, 9000, null,
                    false, ""));
            Told.find((Loop) selector, new Evidence.LostThread("selector 7 (epoll)", thread, "has ended"));
            statistics.observer().onRefused("epoll_ctl failed");
            for (String type : List.of("spin", "wakeupStorm", "lostThread", "refusedRegistration")) {
                Notification notification = heard.poll(20, TimeUnit.SECONDS);
                assertEquals("dev.pollux." + type, notification.getType());
                assertEquals(name, notification.getSource());
                assertEquals(statistics.number(), notification.getUserData());
                assertFalse(notification.getMessage().isEmpty());
            }
            assertEquals("data has arrived that is not read: SocketChannel[\\u000a]",
                    await(is("loop", statistics.number())).get("lastSpin"));
            SERVER.removeNotificationListener(name, listener);
            statistics.observer().onRefused("too late");
            Pollux.unregisterMBeans();
            assertFalse(statistics.observer().recordsRefusals());
            assertTrue(heard.isEmpty());
        }
    }

    @Test
    void aListenerThatIsSlowHoldsNothingUpAndLosesSome() throws Exception {
        rows();
        CountDownLatch end = new CountDownLatch(1);
        AtomicInteger heard = new AtomicInteger();
        SERVER.addNotificationListener(name, (notification, handback) -> {
            try {
                end.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            heard.incrementAndGet();
        }, null, null);
        try (Selector selector = provider.openSelector()) {
            long number = ((Loop) selector).statistics().number();
            for (int i = 0; i < 10_000; i++) {
                Teller.notifyListener(Verdict.Kind.REFUSES, number, "again");
            }
            end.countDown();
            while (heard.get() < 256) {
                Thread.sleep(1);
            }
            assertTrue(heard.get() <= 257);
        }
    }

    @Test
    void theMBeanSaysWhatItNotifiesOf() throws Exception {
        List<String> types = Arrays.stream(SERVER.getMBeanInfo(name).getNotifications())
                .flatMap(each -> Arrays.stream(each.getNotifTypes())).toList();
        assertEquals(List.of("dev.pollux.lostThread", "dev.pollux.blocked", "dev.pollux.spin",
                "dev.pollux.wakeupStorm", "dev.pollux.refusedRegistration"), types);
    }

    /** What the page "Monitoring" tells those to do who read sums alone. */
    public interface Proxy {
        long getSelections();

        int getOpen();
    }

    @Test
    void anInterfaceOfOnesOwnReadsTheSums() throws Exception {
        Proxy proxy = JMX.newMBeanProxy(SERVER, name, Proxy.class);
        Selector selector = provider.openSelector();
        long before = proxy.getSelections();
        int open = proxy.getOpen();
        selector.selectNow();
        assertTrue(proxy.getSelections() > before);
        assertTrue(open > 0);
        selector.close();
    }

    @Test
    void registeringTwiceIsRegisteringOnce() throws Exception {
        Pollux.registerMBeans();
        Pollux.registerMBeans();
        assertEquals(1, SERVER.queryNames(new ObjectName("dev.pollux:*"), null).size());
        Pollux.unregisterMBeans();
        Pollux.unregisterMBeans();
        assertFalse(SERVER.isRegistered(name));
        Pollux.registerMBeans();
        SERVER.unregisterMBean(name);
        Pollux.unregisterMBeans();
        Pollux.registerMBeans();
        assertTrue(SERVER.isRegistered(name));
    }

    @Test
    void anotherCopyTakesAnotherName() throws Exception {
        ObjectName second = (ObjectName) LoopsBean.register();
        assertEquals("2", second.getKeyProperty("copy"));
        LoopsBean.unregister(second);
        assertNull(name.getKeyProperty("copy"));
        assertTrue(SERVER.isRegistered(name));
    }

    @Test
    void whatDoesNotExistIsRefused() {
        assertThrows(AttributeNotFoundException.class, () -> SERVER.getAttribute(name, "Nothing"));
        assertThrows(AttributeNotFoundException.class, () -> SERVER.setAttribute(name, new Attribute("Open", 1)));
        assertThrows(ReflectionException.class, () -> SERVER.invoke(name, "nothing", null, null));
        assertThrows(RuntimeMBeanException.class, () -> stack(Long.MAX_VALUE));
        assertThrows(InstanceNotFoundException.class, () ->
                SERVER.getAttribute(new ObjectName("dev.pollux:type=Loops,copy=2"), "Open"));
    }
}
