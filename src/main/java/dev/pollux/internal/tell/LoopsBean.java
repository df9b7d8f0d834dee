// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.tell;

import dev.pollux.internal.count.Unexpected;
import dev.pollux.internal.jdk.Privileged;
import dev.pollux.internal.verdict.LoopSnapshot;
import dev.pollux.internal.verdict.Verdict;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.stream.Stream;
import javax.management.Attribute;
import javax.management.AttributeList;
import javax.management.AttributeNotFoundException;
import javax.management.DynamicMBean;
import javax.management.InstanceAlreadyExistsException;
import javax.management.InstanceNotFoundException;
import javax.management.JMException;
import javax.management.MBeanInfo;
import javax.management.MBeanNotificationInfo;
import javax.management.MBeanOperationInfo;
import javax.management.MBeanServer;
import javax.management.Notification;
import javax.management.NotificationBroadcasterSupport;
import javax.management.NotificationFilter;
import javax.management.NotificationListener;
import javax.management.ObjectName;
import javax.management.ReflectionException;
import javax.management.openmbean.OpenMBeanAttributeInfoSupport;
import javax.management.openmbean.OpenMBeanConstructorInfoSupport;
import javax.management.openmbean.OpenMBeanInfoSupport;
import javax.management.openmbean.OpenMBeanOperationInfoSupport;
import javax.management.openmbean.OpenMBeanParameterInfoSupport;
import javax.management.openmbean.OpenType;
import javax.management.openmbean.SimpleType;

/**
 * The MBean of all loops: sums, a table with a row for each, the stack of one's thread, and notifications of what
 * loops find wrong. It is an open MBean, since no interface of an MXBean can say of what columns the index of a table
 * consists. Safe for use by many threads. Needs the module {@code java.management}.
 */
final class LoopsBean extends NotificationBroadcasterSupport implements DynamicMBean, Teller.Listener {
    private static final String NAME = "dev.pollux:type=Loops";
    private static final String TABLE = "Loops";
    private static final String STACK = "stack";

    /** Notifications that wait for slow listeners. */
    private static final int MAX_UNSENT = 256;

    private final Map<String, Value> attributes = new LinkedHashMap<>();
    private final MBeanInfo info;
    private final AtomicLong sent = new AtomicLong();

    private record Value(String description, OpenType<?> type, Function<List<LoopSnapshot>, Object> of) {
    }

    private LoopsBean() {
        super(executor(), notifications());
        attributes.put("Open", new Value("Loops that are open", SimpleType.INTEGER, List::size));
        attributes.put("Stalled", new Value("Loops that have not selected for 100 ms though there are events",
                SimpleType.LONG, loops -> loops.stream().filter(LoopSnapshot::isStalled).count()));
        attributes.put("Blocked", new Value("Loops whose verdict is that they are blocked", SimpleType.LONG, loops ->
                loops.stream().filter(LoopSnapshot::isBlocked).count()));
        attributes.put("Lost", new Value("Loops from which no thread selects any more", SimpleType.LONG, loops ->
                loops.stream().filter(LoopSnapshot::hasLostThread).count()));
        attributes.put("Unexpected", new Value("Errors of Pollux's own that were kept from the application",
                SimpleType.LONG, loops -> Unexpected.count()));
        attributes.put("LongestBusyNanos", new Value("Nanoseconds of the longest busy time of loops that have keys",
                SimpleType.LONG, loops -> loops.stream().filter(loop -> loop.size() > 0)
                        .mapToLong(LoopSnapshot::longestBusyNanos).max().orElse(0)));
        for (LoopTable.Column<?> column : LoopTable.SUMMED) {
            String name = Character.toUpperCase(column.name().charAt(0)) + column.name().substring(1);
            attributes.put(name, new Value(column.description() + ": the sum over all that are open", SimpleType.LONG,
                    loops -> loops.stream().mapToLong(loop -> (Long) column.value().apply(loop)).sum()));
        }
        attributes.put(TABLE, new Value("All loops that are open", LoopTable.TYPE, LoopTable::of));
        info = info();
    }

    /** Listeners may take their time. So a thread of its own calls them, and ends when there is nothing to tell. */
    private static Executor executor() {
        ThreadPoolExecutor executor = new ThreadPoolExecutor(1, 1, 10, TimeUnit.SECONDS,
                new ArrayBlockingQueue<>(MAX_UNSENT), LoopsBean::thread, new ThreadPoolExecutor.DiscardPolicy());
        executor.allowCoreThreadTimeOut(true);
        return executor;
    }

    /** The first thread that sends a notification starts it; it inherits nothing from that thread. */
    private static Thread thread(Runnable work) {
        return Privileged.withoutCaller(() -> {
            Thread thread = new Thread(null, work, "Pollux notifications", 0, false);
            thread.setDaemon(true);
            thread.setContextClassLoader(null);
            return thread;
        });
    }

    private static MBeanNotificationInfo[] notifications() {
        return Stream.of(Verdict.Kind.values()).filter(Verdict.Kind::isTold)
                .map(kind -> new MBeanNotificationInfo(new String[] {kind.notificationType()},
                Notification.class.getName(), kind.description())).toArray(MBeanNotificationInfo[]::new);
    }

    private MBeanInfo info() {
        List<OpenMBeanAttributeInfoSupport> all = new ArrayList<>();
        attributes.forEach((name, value) -> all.add(new OpenMBeanAttributeInfoSupport(name, value.description,
                value.type, true, false, false)));
        OpenMBeanParameterInfoSupport loop =
                new OpenMBeanParameterInfoSupport("loop", "The loop's number", SimpleType.LONG);
        OpenMBeanOperationInfoSupport stack = new OpenMBeanOperationInfoSupport(STACK,
                "What the loop's thread does now, innermost call first",
                new OpenMBeanParameterInfoSupport[] {loop}, SimpleType.STRING, MBeanOperationInfo.INFO);
        return new OpenMBeanInfoSupport(LoopsBean.class.getName(), "What the loops of Pollux do",
                all.toArray(OpenMBeanAttributeInfoSupport[]::new), new OpenMBeanConstructorInfoSupport[0],
                new OpenMBeanOperationInfoSupport[] {stack}, notifications());
    }

    /** Returns its ObjectName: another copy of Pollux, in another class loader, may have taken the first one. */
    static Object register() {
        MBeanServer server = ManagementFactory.getPlatformMBeanServer();
        for (int copy = 1;; copy++) {
            try {
                ObjectName name = new ObjectName(copy == 1 ? NAME : NAME + ",copy=" + copy);
                return server.registerMBean(new LoopsBean(), name).getObjectName();
            } catch (InstanceAlreadyExistsException e) {
                // the next name then
            } catch (JMException e) {
                throw new IllegalStateException("could not register " + NAME, e);
            }
        }
    }

    /** Takes the one with this name away, if it is still there. */
    static void unregister(Object name) {
        try {
            ManagementFactory.getPlatformMBeanServer().unregisterMBean((ObjectName) name);
        } catch (InstanceNotFoundException e) {
            // it is unregistered already
        } catch (JMException e) {
            throw new IllegalStateException("could not unregister " + name, e);
        } finally {
            Teller.setListener(null);
        }
    }

    @Override
    public Object getAttribute(String name) throws AttributeNotFoundException {
        Value value = attributes.get(name);
        if (value == null) {
            throw new AttributeNotFoundException(name);
        }
        return value.of.apply(LoopSnapshot.all());
    }

    @Override
    public AttributeList getAttributes(String[] names) {
        List<LoopSnapshot> loops = LoopSnapshot.all();
        AttributeList found = new AttributeList();
        Arrays.stream(names).filter(attributes::containsKey)
                .forEach(name -> found.add(new Attribute(name, attributes.get(name).of.apply(loops))));
        return found;
    }

    @Override
    public void setAttribute(Attribute attribute) throws AttributeNotFoundException {
        throw new AttributeNotFoundException(attribute.getName() + " can't be set");
    }

    @Override
    public AttributeList setAttributes(AttributeList all) {
        return new AttributeList();
    }

    @Override
    public Object invoke(String operation, Object[] arguments, String[] signature) throws ReflectionException {
        if (!operation.equals(STACK) || arguments == null || arguments.length != 1
                || !(arguments[0] instanceof Long number)) {
            throw new ReflectionException(new NoSuchMethodException(operation));
        }
        return LoopSnapshot.all().stream().filter(loop -> loop.number() == number).findFirst().map(LoopTable::stack)
                .orElseThrow(() -> new IllegalArgumentException("no loop with number " + number + " is open"));
    }

    /** From now on loops tell this MBean. Before that, a loop that finds something has nothing to do here. */
    @Override
    public void addNotificationListener(NotificationListener listener, NotificationFilter filter, Object handback) {
        super.addNotificationListener(listener, filter, handback);
        Teller.setListener(this);
    }

    /** Leaves the notification to {@link #executor}; if listeners are too slow for it, they lose some. */
    @Override
    public void onFinding(Verdict.Kind kind, long loop, String message) {
        Notification notification = new Notification(kind.notificationType(), this, sent.incrementAndGet(), message);
        notification.setUserData(loop);
        sendNotification(notification);
    }

    @Override
    public MBeanInfo getMBeanInfo() {
        return info;
    }
}
