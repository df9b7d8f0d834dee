// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.insight;

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import javax.management.Attribute;
import javax.management.AttributeList;
import javax.management.AttributeNotFoundException;
import javax.management.DynamicMBean;
import javax.management.InstanceAlreadyExistsException;
import javax.management.InstanceNotFoundException;
import javax.management.JMException;
import javax.management.MBeanInfo;
import javax.management.MBeanOperationInfo;
import javax.management.MBeanServer;
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
 * The MBean of all loops: sums, a table with a row for each, and the stack of one's thread. It is an open MBean, since
 * no interface of an MXBean can say of what columns the index of a table consists.
 *
 * <p>Safe for use by many threads. Needs the module {@code java.management}.
 */
final class LoopsBean implements DynamicMBean {
    private static final String NAME = "dev.pollux:type=Loops";
    private static final String TABLE = "Loops";
    private static final String STACK = "stack";

    private final Map<String, Value> attributes = new LinkedHashMap<>();
    private final MBeanInfo info;

    private record Value(String description, OpenType<?> type, Function<List<LoopSnapshot>, Object> of) {
    }

    private LoopsBean() {
        attributes.put("Open", new Value("Loops that are open", SimpleType.INTEGER, List::size));
        attributes.put("Stalled", new Value("Loops that are stalled", SimpleType.LONG, loops ->
                loops.stream().filter(LoopSnapshot::isStalled).count()));
        for (LoopTable.Column<?> column : LoopTable.SUMMED) {
            String name = Character.toUpperCase(column.name().charAt(0)) + column.name().substring(1);
            attributes.put(name, new Value(column.description() + ": the sum over all that are open", SimpleType.LONG,
                    loops -> loops.stream().mapToLong(loop -> (Long) column.value().apply(loop)).sum()));
        }
        attributes.put(TABLE, new Value("All loops that are open", LoopTable.TYPE, LoopTable::of));
        info = info();
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
                new OpenMBeanOperationInfoSupport[] {stack}, null);
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

    @Override
    public MBeanInfo getMBeanInfo() {
        return info;
    }
}
