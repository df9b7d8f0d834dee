// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.bench;

import dev.pollux.micro.harness.Child;
import dev.pollux.micro.harness.Series;
import dev.pollux.micro.harness.Table;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.spi.ToolProvider;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * What the first selector and the first connection of a virtual machine cost, on the JDK and on Pollux, in
 * milliseconds. The sides take turns, each time in a fresh virtual machine that runs a program of the tests. Used by
 * one thread.
 */
@Command(name = "start", mixinStandardHelpOptions = true, showDefaultValues = true,
        description = "What the first selector and connection of a virtual machine cost, on the JDK and on Pollux.")
public final class Start implements Callable<Integer> {
    private static final String PROGRAM = "dev.pollux.loading.program.FirstConnection";

    @Option(names = "--rounds", paramLabel = "N", defaultValue = "20", description = "virtual machines of each side")
    private int rounds;

    @Option(names = "--archive", description = "each side with an archive of its classes")
    private boolean archive;

    private final Path folder = Path.of(System.getenv("POLLUX_PROGRAMS"), "start");

    /** What one virtual machine took: to open, to answer, the part of that in which its thread ran, the process. */
    private record Sample(double open, double answer, double ran, double whole, double processor) {
    }

    @Override
    public Integer call() throws IOException {
        Files.createDirectories(folder);
        // Jars only: an archive of classes does not take folders.
        String file = PROGRAM.replace('.', '/') + ".class";
        Path tests = folder.resolve("../../../target/test-classes").normalize();
        ToolProvider.findFirst("jar").orElseThrow().run(System.out, System.err, "--create", "--file",
                folder.resolve("first.jar").toString(), "-C", tests.toString(), file);
        Map<String, List<String>> sides = new LinkedHashMap<>();
        sides.put("jdk", List.of());
        sides.put("pollux", List.of(Child.provider("dev.pollux.EPollSelectorProvider")));
        if (archive) {
            for (Map.Entry<String, List<String>> side : sides.entrySet()) {
                side.setValue(archived(side.getKey(), side.getValue()));
            }
        }
        Map<String, List<Sample>> samples = new LinkedHashMap<>();
        for (int round = 0; round < rounds; round++) {
            for (String side : sides.keySet()) {
                samples.computeIfAbsent(side, name -> new ArrayList<>()).add(measure(sides.get(side)));
            }
        }
        Table table = new Table("selector of", "first open", "first answer", "of that, running", "whole process",
                "its processor time", "classes", "not from an archive");
        for (String side : sides.keySet()) {
            Series<Sample> series = new Series<>(samples.get(side));
            Path loaded = folder.resolve(side + ".classes");
            Child.output(firstConnection(sides.get(side), "-Xlog:class+load:file=" + loaded + ":none"));
            List<String> classes = Files.readAllLines(loaded);
            table.add(side, series.spread(Sample::open, 0), series.spread(Sample::answer, 0),
                    series.spread(Sample::ran, 0), series.spread(Sample::whole, 0),
                    series.spread(Sample::processor, 0), classes.size(),
                    classes.stream().filter(line -> !line.contains("shared objects")).count());
        }
        System.out.printf("JDK %s, milliseconds%n%s%n", Runtime.version(), table);
        return 0;
    }

    private List<String> firstConnection(List<String> options, String... more) {
        List<String> all = new ArrayList<>(List.of("-cp", folder.resolve("first.jar") + ":"
                + System.getenv("POLLUX_JAR")));
        all.addAll(options);
        all.addAll(List.of(more));
        return Child.java(all, PROGRAM);
    }

    /** Makes the side's archive, and returns its options with the one that uses it. */
    private List<String> archived(String side, List<String> options) throws IOException {
        boolean isCache = Runtime.version().feature() >= 25;
        String file = folder.resolve(side + (isCache ? ".aot" : ".jsa")).toString();
        Child.output(firstConnection(options, (isCache ? "-XX:AOTCacheOutput=" : "-XX:ArchiveClassesAtExit=") + file));
        List<String> all = new ArrayList<>(options);
        all.add((isCache ? "-XX:AOTCache=" : "-XX:SharedArchiveFile=") + file);
        return all;
    }

    /** The shell knows what a child that has ended took. */
    private Sample measure(List<String> options) throws IOException {
        List<String> command = new ArrayList<>(List.of("bash", "-c",
                "TIMEFORMAT='%R %U %S'; { time \"$@\" 2>/dev/null; } 2>&1", "start"));
        command.addAll(firstConnection(options));
        String[] words = Child.output(command).split("\\s+");
        double[] seconds = Arrays.stream(words, 4, 7).mapToDouble(Double::parseDouble).toArray();
        return new Sample(Long.parseLong(words[0]) / 1e6, Long.parseLong(words[1]) / 1e6,
                Long.parseLong(words[2]) / 1e6, seconds[0] * 1e3, (seconds[1] + seconds[2]) * 1e3);
    }
}
