// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.demo;

import dev.pollux.micro.apps.server.Side;
import dev.pollux.micro.harness.JavaProcess;
import dev.pollux.micro.harness.ProcessorTime;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.util.List;

/**
 * What a {@link Specimen} of one side showed.
 *
 * @param garbage    bytes that a selection with one ready key allocates
 * @param processors how many processors the faulty server keeps busy while its only client is silent
 * @param said       what was logged meanwhile
 */
record Examination(Side side, long garbage, double processors, List<String> said) {
    private static final long SILENCE_MILLIS = 3000;

    static Examination of(Side side, Path jar, Path logs) throws IOException, InterruptedException {
        try (JavaProcess specimen = new JavaProcess(logs.resolve("specimen-" + side.label() + ".log"),
                side.options(false, Side.PROVIDER, jar), Specimen.class)) {
            long garbage = specimen.askNumbers("garbage")[0];
            int port = (int) specimen.askNumbers("serve")[0];
            try (Socket client = new Socket(InetAddress.getLoopbackAddress(), port)) {
                client.getOutputStream().write('?');
                client.getInputStream().read();
                ProcessorTime before = ProcessorTime.of(specimen.pid());
                long start = System.nanoTime();
                Thread.sleep(SILENCE_MILLIS);
                double processors = (double) ProcessorTime.of(specimen.pid()).since(before)
                        / (System.nanoTime() - start);
                return new Examination(side, garbage, processors, specimen.standardError().lines().toList());
            }
        }
    }
}
