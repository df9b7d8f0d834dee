// SPDX-License-Identifier: Apache-2.0
package dev.pollux.tools.top;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * The process that {@code top} looks at. What forbids that is found out from outside: the Attach API sends a signal
 * that ends a process other than a virtual machine, and its messages do not tell why it fails. Immutable.
 */
record Target(long pid) {
    /** Long enough for a busy machine and for most pauses of a garbage collector. */
    static final long MAX_WAIT_MILLIS = TimeUnit.SECONDS.toMillis(20);

    private static final String POLLUX = "libpollux-jni";

    void check() throws IOException {
        ProcessHandle process = ProcessHandle.of(pid).orElseThrow(() -> cannot("there is no such process"));
        if (process.equals(ProcessHandle.current())) {
            throw cannot("that is top itself");
        }
        checkUser(process.info().user());
        checkContainer();
        if (isLinux() && !hasMapped("libjvm.so")) {
            throw cannot("it is not a Java virtual machine");
        }
        if (commandLine().contains("-XX:+DisableAttachMechanism")) {
            throw cannot("it was started with -XX:+DisableAttachMechanism");
        }
        if (has("status", "\nState:\tT")) { // such a process does not answer until it is continued
            throw cannot("it was stopped by a signal. Continue it first: kill -CONT " + pid);
        }
        if (isLinux() && !hasMapped(POLLUX)) {
            throw cannot("it is not on Pollux, or has not opened a selector yet. Switch Pollux on with "
                    + "-Djava.nio.channels.spi.SelectorProvider=dev.pollux.PolluxSelectorProvider");
        }
        // It would fail in any case, but only after a while, and the VM would print what its threads do.
        Optional<OpenFiles> full = OpenFiles.of(pid).filter(OpenFiles::forbidsToAttach);
        if (full.isPresent()) {
            throw cannot(full.get().advice(pid));
        }
    }

    private void checkUser(Optional<String> user) throws IOException {
        Optional<String> mine = ProcessHandle.current().info().user();
        if (user.isPresent() && mine.isPresent() && !user.equals(mine)) {
            throw cannot("it belongs to the user " + user.get() + ", and top runs as " + mine.get()
                    + ". Run it as " + user.get() + ": sudo -u " + user.get()
                    + " java -jar pollux-tools.jar top " + pid);
        }
    }

    /** In another container our jar has another path, or none. */
    private void checkContainer() throws IOException {
        for (String namespace : new String[] {"mnt", "pid"}) {
            Optional<Path> its = namespace(Long.toString(pid), namespace);
            Optional<Path> mine = namespace("self", namespace);
            if (its.isPresent() && mine.isPresent() && !its.equals(mine)) {
                throw cannot("it runs in another container. Run top inside that, with the PID that it has there");
            }
        }
    }

    private static Optional<Path> namespace(String process, String namespace) {
        try {
            return Optional.of(Files.readSymbolicLink(Path.of("/proc", process, "ns", namespace)));
        } catch (IOException | UnsupportedOperationException notLinux) {
            return Optional.empty();
        }
    }

    /** {@return whether it is on Pollux; elsewhere than on Linux, whether its command line speaks of it} */
    boolean isOnPollux() {
        return isLinux() ? hasMapped(POLLUX) : commandLine().contains("pollux");
    }

    /** {@return how it was started; empty if that is not known} */
    private String commandLine() {
        return ProcessHandle.of(pid).flatMap(process -> process.info().commandLine()).orElse("");
    }

    private static boolean isLinux() {
        return Files.exists(Path.of("/proc/self/maps"));
    }

    private boolean hasMapped(String file) {
        return has("maps", file);
    }

    /** {@return whether this file of proc(5) has this text} */
    private boolean has(String file, String text) {
        try {
            // ISO 8859-1, since the path of a mapped file may hold any byte
            return Files.readString(Path.of("/proc", Long.toString(pid), file), StandardCharsets.ISO_8859_1)
                    .contains(text);
        } catch (IOException e) {
            return false; // it has ended meanwhile, or belongs to another user, or this is no Linux
        }
    }

    /** {@return what has failed; if the process has no descriptors left, that: it explains any failure} */
    private IOException explained(IOException failure) {
        Optional<OpenFiles> few = OpenFiles.of(pid).filter(OpenFiles::mayForbidToAttach);
        if (few.isEmpty()) {
            return failure;
        }
        IOException explained = cannot(few.get().advice(pid));
        explained.initCause(failure);
        return explained;
    }

    /**
     * {@return the answer to this question} It is asked in a daemon thread, which goes on when the time is up: neither
     * the Attach API nor a socket tells that a process was stopped by a signal.
     */
    <T> T ask(Callable<T> question, long millis) throws IOException, InterruptedException {
        FutureTask<T> answer = new FutureTask<>(question);
        Thread thread = new Thread(answer, "question");
        thread.setDaemon(true);
        thread.start();
        try {
            return answer.get(millis, TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            throw explained(cannot("it has not answered for " + millis / 1000
                    + " s. It may have been stopped by a signal"
                    + " (kill -CONT " + pid + " continues it), be in a long pause of its garbage"
                    + " collector, or run with -XX:+DisableAttachMechanism"));
        } catch (ExecutionException e) {
            throw explained(e.getCause() instanceof IOException failure ? failure : new IOException(e.getCause()));
        }
    }

    IOException cannot(String reason) {
        return new IOException("can't look at process " + pid + ": " + reason);
    }
}
