// SPDX-License-Identifier: Apache-2.0
package dev.pollux.documentation;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** What {@code compatibility/peers.sh} says of reports. A script in place of Maven copies those that a test wrote. */
@EnabledOnOs(OS.LINUX)
class PeersTest {
    private static final List<String> SIDES = List.of("jdk", "pollux", "batch");

    @TempDir
    static Path classes;

    @TempDir
    Path folder;

    private int status;

    @BeforeAll
    static void compile() throws IOException {
        List<String> arguments = new ArrayList<>(List.of("--release", "17", "-proc:none", "-d", classes.toString()));
        for (String sources : List.of(".ci/java", "compatibility/peers")) {
            Sources.files(Path.of(sources), ".java").forEach(file -> arguments.add(file.toString()));
        }
        assertEquals(0, ToolProvider.getSystemJavaCompiler().run(null, null, null, arguments.toArray(String[]::new)));
    }

    /**
     * In a round on one side a test passes (p), fails (f), is skipped (s), or is not heard of (-).
     *
     * @param endings {@code name jdk pollux batch}, a letter for each round; a {@code *} in the name is the round
     */
    private List<String> report(int rounds, String... endings) throws Exception {
        for (int side = 0; side < SIDES.size(); side++) {
            for (int round = 0; round < rounds; round++) {
                Path reports = folder.resolve("written").resolve(SIDES.get(side) + '-' + (round + 1));
                StringBuilder tests = new StringBuilder();
                for (String test : endings) {
                    String[] words = test.split(" ");
                    tests.append(element(words[0].replace('*', (char) ('1' + round)), words[side + 1].charAt(round)));
                }
                Files.createDirectories(reports);
                Files.writeString(reports.resolve("TEST-Suite.xml"), "<testsuite>" + tests + "</testsuite>");
            }
        }
        return peers(rounds);
    }

    /** As Surefire has it. */
    private static String element(String name, char ending) {
        String inner = ending == 'f' ? "<failure/>" : ending == 's' ? "<skipped/>" : "";
        return ending == '-' ? "" : "<testcase classname=\"Suite\" name=\"" + name + "\">" + inner + "</testcase>";
    }

    private List<String> peers(int rounds) throws Exception {
        Path maven = folder.resolve("mvn");
        Files.writeString(maven, """
                #!/bin/sh
                for word; do
                    case $word in -Dpeers.reports=*) reports=${word#*=} ;; esac
                done
                cp -r "%s/${reports##*/}" "$reports"
                """.formatted(folder.resolve("written")));
        assertTrue(maven.toFile().setExecutable(true));
        ProcessBuilder builder = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp", classes.toString(), "Peers", "pom.xml", folder.toString(), "suite", Integer.toString(rounds))
                .redirectErrorStream(true);
        builder.environment().merge("PATH", folder.toString(), (path, first) -> first + File.pathSeparator + path);
        Process process = builder.start();
        List<String> lines = new String(process.getInputStream().readAllBytes(), UTF_8).lines()
                .filter(line -> !line.startsWith("round ")).map(line -> line.replaceAll(" +", " "))
                .collect(Collectors.toList());
        status = process.waitFor();
        return lines;
    }

    @Test
    void aFaultFailsInTwoOfThreeRoundsAndNeverOnTheJdk() throws Exception {
        assertEquals(List.of(
                "FAULT JDK 0, Pollux 0, batch=all 3 of 3 failed: Suite#batch",
                "FAULT JDK 0, Pollux 2, batch=all 0 of 3 failed: Suite#default",
                "JDK too JDK 1, Pollux 3, batch=all 3 of 3 failed: Suite#jdk",
                "seldom JDK 0, Pollux 1, batch=all 1 of 3 failed: Suite#seldom",
                "3 passed, 2 failed, 0 skipped"),
                report(3, "good ppp ppp ppp", "default ppp fpf ppp", "batch ppp ppp fff", "seldom ppp pfp ppf",
                        "jdk ppf fff fff"));
        assertEquals(1, status);
    }

    /** The virtual machine of its class has died or hung. */
    @Test
    void aTestThatIsNotHeardOfHasFailed() throws Exception {
        assertEquals(List.of("FAULT JDK 0, Pollux 2, batch=all 0 of 3 failed: Suite#dies",
                "JDK too JDK 3, Pollux 3, batch=all 3 of 3 failed: Suite#never", "1 passed, 1 failed, 1 skipped"),
                report(3, "good ppp ppp ppp", "dies ppp p-- ppp", "never fff fff ---"));
        assertEquals(1, status);
    }

    @Test
    void whatNeverPassesOnTheJdkIsSkipped() throws Exception {
        assertEquals(List.of("1 passed, 0 failed, 1 skipped"), report(1, "good p p p", "skipped s s s"));
        assertEquals(0, status);
    }

    @Test
    void nameOfParametersMayDifferInEachRound() throws Exception {
        assertEquals(List.of("JDK too JDK 1, Pollux 0, batch=all 0 of 2 failed: Suite#handler@,/127.0.0.1:",
                "1 passed, 0 failed, 0 skipped"),
                report(2, "handler@0000*,/127.0.0.1:1234* pf pp pp"));
    }

    /** Parameters that have one name: a failure of one is one of the test. */
    @Test
    void ofTwoEndingsUnderOneNameTheFailureCounts() throws Exception {
        assertEquals(List.of("FAULT JDK 0, Pollux 1, batch=all 0 of 1 failed: Suite#twice",
                "0 passed, 1 failed, 0 skipped"), report(1, "twice p f p", "twice p p p"));
    }

    @Test
    void aRunWithoutATestIsNoResult() throws Exception {
        List<String> said = peers(1);
        assertTrue(said.get(0).startsWith("peers.sh: no test was run, see " + folder.resolve("suite/jdk-1.log")),
                () -> said.toString());
        assertEquals(2, status);
    }
}
