// SPDX-License-Identifier: Apache-2.0
package dev.pollux.poller;

import static dev.pollux.Poller.POLLIN;
import static dev.pollux.Poller.POLLOUT;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.pollux.Poller;
import dev.pollux.Poller.Member;
import dev.pollux.lab.Home;
import dev.pollux.poller.program.AwaitDescriptor;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Descriptors that are known by their numbers only: what no selector takes. */
class RawDescriptorTest {

    /** Starts the VM with the descriptor $fd. A system call has two numbers: that of x86-64 and that of all others. */
    private static final String HAND_OVER = """
            use Fcntl;
            use POSIX ();
            sub number { my ($x86, $other) = @_; return (POSIX::uname())[4] eq 'x86_64' ? $x86 : $other; }
            %s
            $ARGV[$_] =~ s/DESCRIPTOR/$fd/ for 0 .. $#ARGV;
            exec @ARGV or die $!;
            """;

    private static final String TIMER = """
            my $fd = syscall(number(283, 85), 1, 0);
            my $time = pack('q4', 0, 0, 0, 50_000_000);
            syscall(number(286, 86), $fd, 0, $time, 0) == 0 or die "timerfd: $!";
            """;

    private static final String INOTIFY = """
            my $fd = syscall(number(294, 26), 0);
            syscall(number(254, 27), $fd, "$ENV{WATCHED}\\0", 0x100) >= 0 or die "inotify: $!";
            open(my $file, '>', "$ENV{WATCHED}/file") or die $!;
            """;

    private static final String TERMINAL = """
            $^F = 1000; # nothing is closed on exec
            sysopen(my $master, '/dev/ptmx', O_RDWR | O_NOCTTY) or die $!;
            my $number = pack('i', 0);
            ioctl($master, 0x40045431, $number) or die $!;
            ioctl($master, 0x80045430, $number) or die $!;
            sysopen(my $slave, '/dev/pts/' . unpack('i', $number), O_RDWR | O_NOCTTY) or die $!;
            syswrite($slave, "text\\n");
            my $fd = fileno($master);
            """;

    @EachMechanism
    void aPipeOfAnotherLibraryBecomesReadable(PollerLab lab) throws Exception {
        try (Fifo fifo = new Fifo()) {
            Poller poller = lab.poller();
            Member member = poller.add(fifo.number(), POLLIN);
            assertEquals(fifo.number(), member.descriptor());
            assertEquals(0, Awaits.poll(poller));
            fifo.file().write('x');
            assertEquals(new Report(member, POLLIN), Awaits.only(poller));
            assertEquals('x', fifo.file().read());
            member.modify(POLLIN | POLLOUT);
            assertEquals(new Report(member, POLLOUT), Awaits.only(poller));
            member.disable();
            assertEquals(0, Awaits.poll(poller));
            member.enable();
            assertEquals(1, Awaits.poll(poller));
            member.remove();
            assertEquals(0, poller.size());
        }
    }

    @EachMechanism
    void theDescriptorStaysOpenWhenThePollerIsClosed(PollerLab lab) throws Exception {
        try (Fifo fifo = new Fifo()) {
            Poller poller = lab.poller();
            poller.add(fifo.number(), POLLIN);
            poller.close();
            fifo.file().write('x');
            assertEquals('x', fifo.file().read());
        }
    }

    @EachMechanism
    void aTimerIsReadableWhenItsTimeHasCome(PollerLab lab) throws Exception {
        assertReadable(lab, TIMER, "");
    }

    @EachMechanism
    void anInotifyIsReadableWhenAFileWasCreated(PollerLab lab) throws Exception {
        Path folder = Files.createTempDirectory("pollux");
        try {
            assertReadable(lab, INOTIFY, folder.toString());
        } finally {
            Files.deleteIfExists(folder.resolve("file"));
            Files.delete(folder);
        }
    }

    @EachMechanism
    void aTerminalIsReadableWhenSomethingWasWritten(PollerLab lab) throws Exception {
        assertReadable(lab, TERMINAL, "");
    }

    /** Starts a VM that inherits a descriptor, for Java has no way to one of that kind. */
    private static void assertReadable(PollerLab lab, String opening, String watched) throws Exception {
        assumeTrue(System.getProperty("os.name").equals("Linux"), "system calls of Linux");
        List<String> command = new ArrayList<>(List.of("perl", "-e", String.format(HAND_OVER, opening),
                Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-XX:TieredStopAtLevel=1",
                "-cp", Home.of(Poller.class) + ":" + Home.of(AwaitDescriptor.class)));
        String library = System.getProperty("dev.pollux.library.path");
        if (library != null) {
            command.add("-Ddev.pollux.library.path=" + library);
        }
        command.addAll(List.of(AwaitDescriptor.class.getName(), lab.mechanism(), "DESCRIPTOR"));
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().put("WATCHED", watched);
        Process process = builder.start();
        String out = new String(process.getInputStream().readAllBytes(), UTF_8);
        assertTrue(process.waitFor(30, TimeUnit.SECONDS));
        process.getOutputStream().close();
        assertTrue(out.strip().endsWith("reported " + POLLIN), out);
    }
}
