// SPDX-License-Identifier: Apache-2.0
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamConstants;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;

/**
 * Runs the test suite of another project on each {@link Side}, a number of times in turns, and says which tests fail on
 * Pollux alone. {@code peers.sh} describes arguments and exit codes. Not thread-safe.
 */
public final class Peers {
    private final Path pom;
    private final Path out;
    private final String suite;
    private final int rounds;
    private final List<String> options;
    private final Map<String, PeerTest> tests = new TreeMap<>();

    private Peers(List<String> arguments) {
        pom = Path.of(arguments.get(0));
        suite = arguments.get(2);
        out = Path.of(arguments.get(1), suite);
        rounds = arguments.size() < 4 ? 3 : Integer.parseInt(arguments.get(3));
        options = arguments.subList(Math.min(4, arguments.size()), arguments.size());
    }

    public static void main(String[] arguments) throws InterruptedException {
        try {
            Peers peers = new Peers(List.of(arguments));
            for (int round = 1; round <= peers.rounds; round++) {
                for (Side side : Side.values()) {
                    peers.run(side, round);
                }
            }
            System.exit(peers.report() ? 0 : 1);
        } catch (IOException | XMLStreamException | NumberFormatException e) {
            System.err.println("peers.sh: " + e.getMessage());
            System.exit(2);
        }
    }

    private void run(Side side, int round) throws IOException, InterruptedException, XMLStreamException {
        Path reports = out.resolve(side.name().toLowerCase(Locale.ROOT) + "-" + round);
        File log = new File(reports + ".log");
        Command.of("rm", "-rf", reports).output();
        Files.createDirectories(out);
        Command maven = Command.of("mvn", "-B", "-ntp", "-f", pom, "-P" + suite, "dependency:unpack",
                "surefire:test",
                "-Dpeers.reports=" + reports, "-Dpeers.options=" + side.options, options);
        maven.builder.redirectOutput(log);
        long start = System.nanoTime();
        maven.builder.start().waitFor();
        Map<String, PeerTest.Ending> endings = read(reports);
        if (endings.isEmpty()) {
            throw new IOException("no test was run, see " + log);
        }
        endings.forEach((name, ending) -> tests.computeIfAbsent(name, unused -> new PeerTest()).add(side, ending));
        System.out.printf("round %d on %-9s  %5d tests, %d failed, %d skipped (%d s)%n", round, side.label,
                endings.size(), count(endings, PeerTest.Ending.FAILED), count(endings, PeerTest.Ending.SKIPPED),
                (System.nanoTime() - start) / 1_000_000_000);
    }

    private static long count(Map<String, PeerTest.Ending> endings, PeerTest.Ending ending) {
        return endings.values().stream().filter(ending::equals).count();
    }

    /** {@return how each test of one run has ended, from the reports that Surefire has written} */
    private static Map<String, PeerTest.Ending> read(Path reports) throws IOException, XMLStreamException {
        Map<String, PeerTest.Ending> endings = new TreeMap<>();
        if (Files.exists(reports)) {
            try (Stream<Path> files = Files.list(reports)) {
                for (Path file : files.filter(each -> each.toString().endsWith(".xml")).toList()) {
                    try (InputStream in = Files.newInputStream(file)) {
                        read(XMLInputFactory.newFactory().createXMLStreamReader(in), endings);
                    }
                }
            }
        }
        return endings;
    }

    private static void read(XMLStreamReader xml, Map<String, PeerTest.Ending> endings) throws XMLStreamException {
        String name = "";
        PeerTest.Ending ending = PeerTest.Ending.PASSED;
        while (xml.hasNext()) {
            int event = xml.next();
            String element = event == XMLStreamConstants.START_ELEMENT || event == XMLStreamConstants.END_ELEMENT
                    ? xml.getLocalName() : "";
            boolean isTest = element.equals("testcase");
            if (isTest && event == XMLStreamConstants.END_ELEMENT) {
                endings.merge(name, ending, (one, other) -> one.compareTo(other) > 0 ? one : other);
            } else if (isTest) {
                name = stable(xml.getAttributeValue(null, "classname") + "#" + xml.getAttributeValue(null, "name"));
                ending = PeerTest.Ending.PASSED;
            } else if (element.equals("failure") || element.equals("error")) {
                ending = PeerTest.Ending.FAILED;
            } else if (element.equals("skipped")) {
                ending = PeerTest.Ending.SKIPPED;
            }
        }
    }

    /** Names of parameters have identity hash codes and port numbers, which differ in each run. */
    private static String stable(String name) {
        return name.replaceAll("@[0-9a-f]{5,}", "@").replaceAll(":\\d{4,5}\\b", ":");
    }

    /** Prints which tests have failed where, and the sum; true if there is no fault. */
    private boolean report() {
        tests.forEach((name, test) -> {
            if (Stream.of(Side.values()).anyMatch(side -> test.failures(side, rounds) > 0)) {
                System.out.printf("%-9s JDK %d, Pollux %d, batch=all %d of %d failed: %s%n",
                        test.isFault(rounds) ? "FAULT" : test.failures(Side.JDK, rounds) > 0 ? "JDK too" : "seldom",
                        test.failures(Side.JDK, rounds), test.failures(Side.POLLUX, rounds),
                        test.failures(Side.BATCH, rounds), rounds, name);
            }
        });
        long faults = tests.values().stream().filter(test -> test.isFault(rounds)).count();
        long passed = tests.values().stream().filter(test -> test.passesOnTheJdk() && !test.isFault(rounds)).count();
        System.out.println(passed + " passed, " + faults + " failed, " + (tests.size() - passed - faults) + " skipped");
        return faults == 0;
    }
}
