// SPDX-License-Identifier: Apache-2.0
package dev.pollux.poller;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.pollux.lab.Descriptors;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;

/** A named pipe, open at both ends by one descriptor. */
final class Fifo implements AutoCloseable {

    private final Path folder = Files.createTempDirectory("pollux");
    private final Path path = folder.resolve("fifo");
    private final RandomAccessFile file;
    private final int number;

    /** Skips the test where there are none. */
    Fifo() throws IOException, InterruptedException {
        PollerLab.needsUnix();
        assertEquals(0, new ProcessBuilder("mkfifo", path.toString()).start().waitFor());
        file = new RandomAccessFile(path.toFile(), "rw");
        number = Descriptors.numberOf(path);
    }

    Path path() {
        return path;
    }

    RandomAccessFile file() {
        return file;
    }

    int number() {
        return number;
    }

    @Override
    public void close() throws IOException {
        file.close();
        Files.deleteIfExists(path);
        Files.deleteIfExists(folder);
    }
}
