// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.apps;

import dev.pollux.micro.apps.server.Side;
import dev.pollux.micro.harness.Numbers;
import dev.pollux.micro.harness.SystemCalls;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

/** All that was measured of one server. Not thread-safe. */
final class Row {
    final Subject subject;

    /** The server's version. */
    String version = "";

    /** The classes of the live selectors, as the last pair had them. */
    final Map<Side, List<String>> selectors = new EnumMap<>(Side.class);

    private final Map<Side, Map<Figure, List<Double>>> figures = new EnumMap<>(Side.class);
    private final Map<Figure, Map<Side, Map<String, List<Double>>>> calls = new EnumMap<>(Figure.class);

    Row(Subject subject) {
        this.subject = subject;
        for (Side side : Side.values()) {
            figures.put(side, new EnumMap<>(Figure.class));
            for (Figure figure : Figure.values()) {
                figures.get(side).put(figure, new ArrayList<>());
            }
        }
    }

    void add(Side side, Map<Figure, Double> measured) {
        measured.forEach((figure, value) -> figures.get(side).get(figure).add(value));
    }

    void addCalls(Side side, Figure load, Map<String, Double> counts) {
        add(side, Map.of(load, SystemCalls.sum(counts)));
        counts.forEach((name, count) -> calls(side, load).computeIfAbsent(name, any -> new ArrayList<>()).add(count));
    }

    /** One value of each round, in order. */
    List<Double> values(Side side, Figure figure) {
        return figures.get(side).get(figure);
    }

    /** Pollux/JDK of each round. */
    List<Double> ratios(Figure figure) {
        return Numbers.ratios(values(Side.POLLUX, figure), values(Side.JDK, figure));
    }

    /** The system calls that either side made. */
    Collection<String> callNames(Figure load) {
        Collection<String> names = new TreeSet<>(calls(Side.JDK, load).keySet());
        names.addAll(calls(Side.POLLUX, load).keySet());
        return names;
    }

    private Map<String, List<Double>> calls(Side side, Figure load) {
        return calls.computeIfAbsent(load, any -> new EnumMap<>(Side.class))
                .computeIfAbsent(side, any -> new TreeMap<>());
    }

    /** How often a request led to that system call, on average over all counts. */
    double calls(Side side, Figure load, String name) {
        double sum = calls(side, load).getOrDefault(name, List.of()).stream().mapToDouble(Double::doubleValue).sum();
        return sum / values(side, load).size();
    }

    boolean rightSelectors() {
        return selectors.entrySet().stream().allMatch(entry -> entry.getKey().owns(entry.getValue()));
    }
}
