// SPDX-License-Identifier: Apache-2.0
package dev.pollux.documentation;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.pollux.EPollSelectorProvider;
import dev.pollux.lab.Job;
import java.nio.channels.Selector;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import jdk.jfr.EventType;
import jdk.jfr.FlightRecorder;
import jdk.jfr.Recording;
import jdk.jfr.ValueDescriptor;
import org.junit.jupiter.api.Test;

/** The page has each event of JFR, and each field that not all of them have. */
class EventsPageTest {
    private static final Pattern FIELD = Pattern.compile("`(\\w+)`");
    private static final Set<String> OF_EVERY_EVENT =
            Set.of("startTime", "duration", "eventThread", "stackTrace", "loop", "kind", "mechanism");

    /** {@code NamesTest} has their fields. */
    private static final List<String> STATISTICS =
            List.of("dev.pollux.SelectorStatistics", "dev.pollux.StreamServerStatistics");

    private static Map<String, Set<String>> onPage() {
        Map<String, Set<String>> events = new TreeMap<>();
        Page.of("docs/insight-reference.md").text().lines().filter(line -> line.startsWith("| `dev.pollux."))
                .map(line -> line.split(" *\\| *")).forEach(cells -> events.put(cells[1].replace("`", ""),
                        FIELD.matcher(cells[3].replaceAll("`dev\\.[^`]+`", "")).results().map(field -> field.group(1))
                                .filter(name -> !name.equals("StreamServer"))
                                .collect(Collectors.toCollection(TreeSet::new))));
        return events;
    }

    private static Map<String, Set<String>> inCode() throws Exception {
        try (Recording recording = new Recording()) {
            recording.start();
            try (Selector selector = new EPollSelectorProvider().openSelector();
                    Job<Integer> waiting = new Job<>(selector::select)) { // the first wait has the events be registered
                waiting.awaitSelecting();
                selector.wakeup();
                assertEquals(0, waiting.result());
            }
        }
        Map<String, Set<String>> events = new TreeMap<>();
        for (EventType type : FlightRecorder.getFlightRecorder().getEventTypes()) {
            if (type.getName().startsWith("dev.pollux.")) {
                Set<String> fields = type.getFields().stream().map(ValueDescriptor::getName)
                        .collect(Collectors.toCollection(TreeSet::new));
                fields.removeAll(OF_EVERY_EVENT);
                events.put(type.getName(), fields);
            }
        }
        return events;
    }

    @Test
    void thePageHasEachEventWithItsFields() throws Exception {
        Map<String, Set<String>> code = inCode();
        Map<String, Set<String>> page = onPage();
        for (String each : STATISTICS) {
            code.remove(each); // that of a StreamServer is there when the first one is
            assertEquals(Set.of("JFR"), page.remove(each));
        }
        assertEquals(code, page);
    }
}
