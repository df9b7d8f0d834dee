// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.bench;

import java.io.IOException;
import java.nio.channels.SelectionKey;
import java.util.Iterator;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;

/** {@code select()}, then the loop of every textbook: iterate over the selected keys and remove each. */
public class SelectKeys extends Setting {
    /** Ready channels, a slash, registered channels. */
    @Param({"1/1", "16/16", "100/2000", "1000/10000"})
    public String load;

    private int ready;

    @Override
    void prepare() throws IOException {
        ready = sockets.register(load);
    }

    /** One selection and its loop. */
    @Benchmark
    public int selectAndRemove() throws IOException {
        equal(ready, selector.select());
        int found = 0;
        Iterator<SelectionKey> keys = selector.selectedKeys().iterator();
        while (keys.hasNext()) {
            found += keys.next().readyOps();
            keys.remove();
        }
        return equal(ready, found);
    }
}
