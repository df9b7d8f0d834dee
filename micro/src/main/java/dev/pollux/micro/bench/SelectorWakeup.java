// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.bench;

import java.io.IOException;
import org.openjdk.jmh.annotations.Benchmark;

/** A wakeup that no thread waits for, and the selection that it ends; no channels. */
public class SelectorWakeup extends Setting {
    /** One wakeup, one selection. */
    @Benchmark
    public int wakeupAndSelect() throws IOException {
        return equal(0, selector.wakeup().select());
    }
}
