// SPDX-License-Identifier: Apache-2.0

/*
 * @test id=epoll
 * @summary no descriptor of a selector reaches a child process: the kernel closes each of them at exec
 * @library /lib
 * @run main/othervm -Djava.nio.channels.spi.SelectorProvider=dev.pollux.EPollSelectorProvider CloseOnExec
 */

/*
 * @test id=poll
 * @summary no descriptor of a selector reaches a child process: the kernel closes each of them at exec
 * @library /lib
 * @run main/othervm -Djava.nio.channels.spi.SelectorProvider=dev.pollux.PollSelectorProvider CloseOnExec
 */

import java.io.IOException;
import java.nio.channels.Selector;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

public class CloseOnExec {

    private static final int O_CLOEXEC = 02000000;
    private static final int SELECTORS = 20;

    public static void main(String[] args) throws Exception {
        Check.open().close();
        Map<Integer, String> before = Check.descriptors();
        Selector[] selectors = new Selector[SELECTORS];
        for (int i = 0; i < SELECTORS; i++) {
            selectors[i] = Check.open();
        }
        Map<Integer, String> opened = Check.descriptors();
        opened.keySet().removeAll(before.keySet());
        Check.that(opened.size() >= SELECTORS, "the selectors have only the descriptors " + opened);
        for (Map.Entry<Integer, String> descriptor : opened.entrySet()) {
            int flags = flags(descriptor.getKey());
            Check.that((flags & O_CLOEXEC) != 0, descriptor + " is not close-on-exec: " + Integer.toOctalString(flags));
        }
        childSeesNone(selectors[0]);
        for (Selector selector : selectors) {
            selector.close();
        }
        Check.descriptorsFallTo(before.size());
    }

    private static int flags(int descriptor) throws IOException {
        for (String line : Files.readAllLines(Path.of("/proc/self/fdinfo/" + descriptor))) {
            if (line.startsWith("flags:")) {
                return Integer.parseInt(line.substring("flags:".length()).trim(), 8);
            }
        }
        throw new AssertionError("no flags of " + descriptor);
    }

    /** A child that is started while another thread selects; start() returns when exec is over. */
    private static void childSeesNone(Selector selector) throws Exception {
        try (Threads threads = new Threads()) {
            threads.start("selecting", selector::select);
            Process child = new ProcessBuilder("sleep", "600").start();
            try (Stream<Path> inherited = Files.list(Path.of("/proc", Long.toString(child.pid()), "fd"))) {
                Check.same(List.of("0", "1", "2"),
                        inherited.map(path -> path.getFileName().toString()).sorted().toList(),
                    "descriptors of the child");
            } finally {
                child.destroyForcibly();
                Check.that(child.waitFor(60, TimeUnit.SECONDS), "the child does not end");
                selector.wakeup();
            }
        }
    }
}
