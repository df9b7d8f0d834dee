// SPDX-License-Identifier: Apache-2.0
package dev.pollux.tools.top;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.EPollSelectorProvider;
import dev.pollux.Pollux;
import dev.pollux.server.StreamServer;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import javax.management.MBeanAttributeInfo;
import javax.management.ObjectName;
import javax.management.openmbean.OpenMBeanAttributeInfo;
import javax.management.openmbean.TabularType;
import jdk.jfr.EventType;
import jdk.jfr.FlightRecorder;
import jdk.jfr.Recording;
import jdk.jfr.ValueDescriptor;
import org.junit.jupiter.api.Test;

/** A number has one name: in JMX, in JFR, in what {@code top --json} prints, in Prometheus, and on the page. */
class NamesTest {
    private static final Pattern CODE = Pattern.compile("`([^`]+)`");
    private static final Pattern RULE = Pattern.compile("<Loops>(\\w+):");
    private static final Set<String> OF_EVERY_EVENT = Set.of("startTime", "duration", "eventThread", "stackTrace");
    /** Fields of events that mean what the column means. */
    private static final Set<String> THE_SAME = Set.of("busySelections", "stack");

    /** How long a loop was blocked, and the name of the thread that was lost: the page says that they are others. */
    private static final Set<String> KNOWN_HOMONYMS = Set.of("blockedNanos", "lostThread");

    private static final String PER_SECOND = "PerSecond";

    /** Rows of the page's table: names, and where they are. */
    private static Set<String> onPage(String where) throws IOException {
        Set<String> names = new TreeSet<>();
        Files.readString(Path.of("docs/insight-reference.md")).lines().map(line -> line.split(" *\\| *"))
                .filter(cells -> cells.length == 4 && List.of(cells[3].split(", ")).contains(where))
                .forEach(cells -> names.addAll(List.of(cells[1].replace("`", "").split(", "))));
        return names;
    }

    private static MBeanAttributeInfo[] attributes() throws Exception {
        Pollux.registerMBeans();
        try {
            return ManagementFactory.getPlatformMBeanServer().getMBeanInfo(new ObjectName("dev.pollux:type=Loops"))
                    .getAttributes();
        } finally {
            Pollux.unregisterMBeans();
        }
    }

    private static Set<String> inJmx() throws Exception {
        OpenMBeanAttributeInfo table = (OpenMBeanAttributeInfo) Arrays.stream(attributes())
                .filter(attribute -> attribute.getName().equals("Loops")).findFirst().orElseThrow();
        return new TreeSet<>(((TabularType) table.getOpenType()).getRowType().keySet());
    }

    private static Set<String> inEvent(String name) throws IOException {
        try (Recording recording = new Recording()) {
            recording.start(); // has the events be registered
            new EPollSelectorProvider().openSelector().close();
            StreamServer.at(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), () -> (data, exchange) -> { })
                    .start().close();
        }
        EventType type = FlightRecorder.getFlightRecorder().getEventTypes().stream()
                .filter(each -> each.getName().equals("dev.pollux." + name)).findFirst().orElseThrow();
        Set<String> names = type.getFields().stream().map(ValueDescriptor::getName)
                .collect(Collectors.toCollection(TreeSet::new));
        names.removeAll(OF_EVERY_EVENT);
        return names;
    }

    private static Set<String> inJson() {
        List<Interval> loops = Interval.between(List.of(), List.of(Sample.decode("loop=1")));
        return new TreeSet<>(loops.get(0).json(List.of("at a.B.c")).keySet());
    }

    @Test
    void thePageHasTheColumnsOfJmx() throws Exception {
        assertEquals(inJmx(), onPage("JMX"));
    }

    @Test
    void thePageHasTheFieldsOfJfrAndTheyAreColumnsOfJmx() throws Exception {
        Set<String> fields = inEvent("SelectorStatistics");
        fields.addAll(inEvent("StreamServerStatistics"));
        assertEquals(fields, onPage("JFR"));
        assertTrue(inJmx().containsAll(fields));
    }

    @Test
    void thePageHasTheMembersOfTopAndTheyAreColumnsOfJmx() throws Exception {
        Set<String> shown = onPage("top");
        Set<String> rates = onPage("top/s");
        Set<String> columns = inJmx();
        columns.addAll(Set.of("idle", "intervalLongestBusyNanos")); // of an interval, which JMX does not have
        assertTrue(columns.containsAll(shown) && columns.containsAll(rates));
        rates.forEach(name -> shown.add(name + PER_SECOND));
        assertEquals(inJson(), shown);
    }

    /** The number alone stands where the bar has no room, and batches where there are some. */
    @Test
    void thePageHasTheColumnsOfTheTable() throws IOException {
        String text = Files.readString(Path.of("docs/tools.md"));
        String rows = text.substring(text.indexOf("| column | meaning |"), text.indexOf("### What top leaves behind"));
        Set<String> columns = rows.lines().filter(line -> line.startsWith("| `")).map(line -> line.split(" \\| ")[0])
                .flatMap(cell -> CODE.matcher(cell).results()).map(code -> code.group(1))
                .collect(Collectors.toCollection(TreeSet::new));
        List<Interval> loops = Interval.between(List.of(), List.of(Sample.decode("loop=1\tbatches=1")));
        Set<String> headings = new TreeSet<>();
        for (int width : new int[] {60, 1000}) {
            headings.addAll(List.of(Table.of(loops, width).get(0).strip().split(" +")));
        }
        assertEquals(headings, columns);
    }

    @Test
    void eachSumHasTheNameOfItsColumn() throws Exception {
        Set<String> columns = inJmx();
        for (MBeanAttributeInfo attribute : attributes()) {
            String name = attribute.getName();
            assertTrue(List.of("Loops", "Open", "Lost", "Unexpected").contains(name)
                    || columns.contains(Character.toLowerCase(name.charAt(0)) + name.substring(1)), name);
        }
    }

    /** Prometheus has numbers alone. */
    @Test
    void eachColumnThatIsANumberHasARuleForPrometheus() throws Exception {
        Set<String> columns = inJmx();
        columns.removeAll(Set.of("loop", "slot", "kind", "mechanism", "thread", "threadId", "verdict", "evidence",
                "lastSpin", "gate", "stack"));
        assertEquals(columns, RULE.matcher(Files.readString(Path.of("docs/prometheus.yml"))).results()
                .map(rule -> rule.group(1)).collect(Collectors.toCollection(TreeSet::new)));
    }

    /** What other events have in common with the statistics of a loop is called the same. */
    @Test
    void otherEventsHaveTheseNamesToo() throws Exception {
        assertTrue(inJmx().contains("busySelections") && inEvent("Busy").contains("busySelections"));
        assertTrue(inJson().contains("selectionsPerSecond") && inEvent("Spin").contains("selectionsPerSecond"));
        assertTrue(inJson().contains("wakeupsPerSecond") && inEvent("WakeupStorm").contains("wakeupsPerSecond"));
        Set<String> common = Set.of("loop", "kind", "mechanism");
        for (String event : List.of("Busy", "Spin", "WakeupStorm", "RefusedRegistration", "SelectorOpened",
                "SelectorClosed", "Blocked", "LostThread")) {
            Set<String> others = inEvent(event);
            assertTrue(others.containsAll(common), event);
            others.removeAll(common);
            others.removeAll(THE_SAME);
            others.removeAll(KNOWN_HOMONYMS);
            others.retainAll(inJmx());
            assertEquals(Set.of(), others, event + " has another number under a name of JMX");
        }
    }
}
