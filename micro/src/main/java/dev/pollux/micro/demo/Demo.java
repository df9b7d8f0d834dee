// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.demo;

import com.google.gson.Gson;
import dev.pollux.micro.apps.server.Side;
import dev.pollux.micro.demo.Section.Bar;
import dev.pollux.micro.harness.Child;
import dev.pollux.micro.harness.Series;
import dev.pollux.tools.common.Spread;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Tells what Pollux gains on this machine, from the figures of {@code micro/run.sh calls}; then has a faulty server
 * looked at. Arguments: the folder with figures.json, where the page goes, too, and the jars of Pollux and of its
 * tools. Ends with 1 if Pollux does not work here, but not because the machine is slow.
 */
final class Demo {
    private static final Map<Side, String> WAYS = Map.of(Side.JDK, "JDK", Side.AUTO, "Pollux", Side.ALL, "batch");
    private static final int LIMIT_SECONDS = 20;

    /** With less of its processor a server runs beside other programs, which disturb single turns as chance has it. */
    private static final double LEAST_SHARE = 0.85;

    private final Path folder;
    private final Path jar;
    private final Path tools;
    private final List<Section> sections = new ArrayList<>();

    /** What is read of the file of figures. */
    private record Figures(Measured results) {
    }

    record Measured(List<Start> starts, List<Sample> samples) {
    }

    record Start(String server, String version) {
    }

    record Sample(String server, String way, double requests, double seconds, double cpuSeconds,
            double softirqSeconds) {
        double perCpuSecond() {
            return requests / (cpuSeconds + softirqSeconds);
        }

        /** What part of its processor the server had. Its clients ask for all of it. */
        double share() {
            return (cpuSeconds + softirqSeconds) / seconds;
        }
    }

    private Demo(Path folder, Path jar, Path tools) {
        this.folder = folder;
        this.jar = jar;
        this.tools = tools;
    }

    /** Ends the virtual machine. */
    public static void main(String[] args) throws IOException, InterruptedException {
        Child.endAllOnExit();
        new Demo(Path.of(args[0]), Path.of(args[1]), Path.of(args[2])).tell();
        System.exit(0);
    }

    private void tell() throws IOException, InterruptedException {
        String batch = tellMachine();
        Path file = folder.resolve("figures.json");
        Figures figures = Files.exists(file) ? new Gson().fromJson(Files.readString(file), Figures.class) : null;
        for (String server : List.of("netty", "tomcat")) {
            tell(figures == null ? comparison(server, new Measured(List.of(), List.of()), batch)
                    : comparison(server, figures.results, batch));
        }
        tell(fault());
        tell(new Section("What next", List.of("Your own program on Pollux, the same with a batch, single operations on"
                + " this machine, and the loops of a running server: see below. To go back leave the agent out. In"
                + " part, -Ddev.pollux.calls=off keeps the JDK's socket calls, and -Ddev.pollux.watch=off looks for no"
                + " faults. README.md has other processors and servers."), List.of(), List.of(
                "java -javaagent:" + jar + " -jar app.jar", "java -javaagent:" + jar + "=batch=all -jar app.jar",
                "java -jar " + tools + " compare", "java -jar " + tools + " top PID")));
        Path page = Files.writeString(folder.resolve("index.html"), Page.of(sections));
        System.out.println("== Full tables: " + folder.resolve("tables.txt") + "; this as a page: " + page);
    }

    private void tell(Section section) {
        sections.add(section);
        section.lines().forEach(System.out::println);
        System.out.println();
    }

    /** {@return why there is no batch; empty if there is one} */
    private String tellMachine() throws IOException {
        String calls = diagnosed("off", "socket calls:");
        String batch = diagnosed("all", "batch:").replaceFirst("^all$", "");
        boolean isCovered = calls.startsWith("covered");
        tell(new Section("This machine", List.of(processor() + ", " + Runtime.getRuntime().availableProcessors()
                + " processors, " + System.getProperty("os.name") + " " + System.getProperty("os.version") + ", JDK "
                + Runtime.version().feature() + ".",
                "Socket calls are " + calls.replaceFirst(": \\w+\\.\\w.*", "") + ". "
                        + (isCovered ? "Each read and write costs less, so a whole server gains by default."
                        : "So by default only selections and wakeups cost less, and most servers gain little."),
                batch.isEmpty() ? "A batch (-Ddev.pollux.batch=all) is possible: one system call for what an event loop"
                        + " writes." : "A batch is not possible: " + batch + '.'), List.of(), List.of()));
        return batch;
    }

    /** A line of what Pollux says of this machine; with a batch the other calls are no longer mentioned. */
    private String diagnosed(String batch, String line) throws IOException {
        return Child.output(List.of(Child.tool("java"), "-Ddev.pollux.batch=" + batch, "-jar", jar.toString())).lines()
                .filter(each -> each.startsWith(line)).findFirst().orElseThrow().substring(line.length()).strip();
    }

    private static String processor() throws IOException {
        return Files.readAllLines(Path.of("/proc/cpuinfo")).stream().filter(line -> line.startsWith("model name"))
                .findFirst().map(line -> line.substring(line.indexOf(':') + 1).strip())
                .orElse(System.getProperty("os.arch"));
    }

    static Section comparison(String server, Measured measured, String batch) {
        List<Bar> bars = new ArrayList<>();
        Series<Sample> jdk = samples(measured, server, Side.JDK);
        double share = Spread.of(measured.samples.stream().filter(each -> each.server.equals(server))
                .map(Sample::share).toList()).median();
        boolean isDisturbed = share < LEAST_SHARE;
        for (Side side : List.of(Side.JDK, Side.AUTO, Side.ALL)) {
            Series<Sample> way = samples(measured, server, side);
            if (!way.samples().isEmpty() && (side != Side.ALL || batch.isEmpty())) {
                bars.add(new Bar(WAYS.get(side), Spread.of(way.samples().stream().map(Sample::perCpuSecond).toList()),
                        side == Side.JDK || isDisturbed ? "" : way.ratio(jdk, Sample::perCpuSecond).verdict()));
            }
        }
        String version = measured.starts.stream().filter(each -> each.server.equals(server)).findFirst()
                .map(each -> ' ' + each.version.replace(".Final", "")).orElse("");
        String name = server.substring(0, 1).toUpperCase(Locale.ROOT) + server.substring(1);
        return new Section(name + version + ", unmodified: requests per second of processor time",
                List.of(isDisturbed ? String.format(Locale.ROOT, "This machine was too busy to tell: other programs"
                        + " left the server %.0f %% of its processor.", 100 * share) : verdict(name, bars)),
                bars, List.of());
    }

    private static String verdict(String name, List<Bar> bars) {
        if (bars.size() < 2) {
            return "This machine was too busy to tell: not all was measured. The end of tables.txt may say more.";
        }
        String batch = bars.size() < 3 ? "" : "; with a batch " + bars.get(2).verdict();
        return "For the same processor time " + name + " answers on Pollux: " + bars.get(1).verdict() + batch + '.';
    }

    private static Series<Sample> samples(Measured measured, String server, Side side) {
        return new Series<>(measured.samples.stream()
                .filter(each -> each.server.equals(server) && each.way.equals(side.label())).toList());
    }

    /** What the log and {@code top} say of a server whose loop spins while its only client is silent. */
    private Section fault() throws IOException, InterruptedException {
        List<String> text = new ArrayList<>(
                List.of("A server leaves OP_WRITE on after its reply, so that its loop takes a whole processor."));
        List<String> said = new ArrayList<>();
        try (Child server = new Child(folder.resolve("fault.log"),
                Child.java(Side.POLLUX.options(false, Side.PROVIDER, jar), FaultyServer.class));
                Socket client = new Socket(InetAddress.getLoopbackAddress(), (int) server.askNumbers("port")[0])) {
            client.getOutputStream().write('?');
            client.getInputStream().read();
            long start = System.nanoTime();
            List<String> warnings = List.of();
            while (warnings.isEmpty() && System.nanoTime() - start < TimeUnit.SECONDS.toNanos(LIMIT_SECONDS)) {
                TimeUnit.MILLISECONDS.sleep(100);
                warnings = server.standardError().lines().filter(line -> line.contains("OP_WRITE")).toList();
            }
            warnings.forEach(warning -> said.add("log: " + warning));
            text.add(warnings.isEmpty() ? "The log says nothing of it after " + LIMIT_SECONDS
                    + " seconds: this machine is too busy to tell."
                    : String.format(Locale.ROOT, "The log said so after %.1f seconds, once.",
                            (System.nanoTime() - start) / 1e9));
            Child.output(List.of(Child.tool("java"), "-jar", tools.toString(), "top", Long.toString(server.pid()),
                    "--once")).lines().filter(line -> line.startsWith("Loop "))
                    .forEach(line -> said.add("top: " + line));
        } catch (IOException e) {
            text.add("It was not looked at to the end: " + e.getMessage());
        }
        return new Section("A planted fault", text, List.of(), said);
    }
}
