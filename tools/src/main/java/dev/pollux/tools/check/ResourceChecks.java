// SPDX-License-Identifier: Apache-2.0
package dev.pollux.tools.check;

import static java.nio.channels.SelectionKey.OP_READ;

import dev.pollux.internal.jdk.Allocation;
import dev.pollux.tools.common.Bench;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.nio.channels.SelectionKey;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** Checks of the memory and the descriptors that selectors use. Stateless. */
final class ResourceChecks {
    private static final int SELECTIONS = 5_000;

    /** The interpreter allocates what compiled code does not, so there is more than one try. */
    private static final int TRIES = 20;

    private static final int ROUNDS = 50;

    private ResourceChecks() {
    }

    static void allocation(Bench bench) throws IOException, SkippedException {
        Allocation allocation = Allocation.ofCurrentThread();
        if (allocation == null) {
            throw new SkippedException("this runtime has no module jdk.management, which counts what is allocated");
        }
        Pipe pipe = bench.pipe();
        bench.register(pipe.source(), OP_READ);
        ByteBuffer one = ByteBuffer.allocateDirect(1);
        Consumer<SelectionKey> ignore = key -> { };
        long least = Long.MAX_VALUE;
        for (int i = 0; i < TRIES && least >= SELECTIONS; i++) {
            long before = allocation.bytes();
            for (int k = 0; k < SELECTIONS; k++) {
                pipe.sink().write(one.clear());
                bench.selector.select(ignore);
                pipe.source().read(one.clear());
            }
            least = Math.min(least, allocation.bytes() - before);
        }
        Bench.require(least < SELECTIONS, "a selection allocates nothing: " + (double) least / SELECTIONS + " bytes");
    }

    static void descriptors(Bench bench) throws IOException, SkippedException {
        openAndClose(bench); // what the JDK opens once and keeps
        long before = openDescriptors();
        for (int i = 0; i < ROUNDS; i++) {
            openAndClose(bench);
        }
        long left = openDescriptors() - before;
        Bench.require(left < ROUNDS, "what is closed leaves no descriptor: " + left + " after " + ROUNDS + " rounds");
    }

    private static void openAndClose(Bench bench) throws IOException {
        try (Bench other = bench.another()) {
            other.register(other.pipe().source(), OP_READ);
            other.register(other.connection().near(), OP_READ);
            other.selector.selectNow();
        }
    }

    private static long openDescriptors() throws SkippedException {
        try (Stream<Path> descriptors = Files.list(Path.of("/proc/self/fd"))) {
            return descriptors.count();
        } catch (IOException e) {
            throw new SkippedException("this system has no /proc/self/fd to count them");
        }
    }
}
