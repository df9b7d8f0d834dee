// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.bench;

import java.io.IOException;
import java.lang.reflect.Field;
import java.nio.channels.SelectionKey;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Fork;

/** 1000 channels ready, in a selector whose key set was replaced the way Netty replaces it. */
@Fork(jvmArgsAppend = "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED")
public class ReplacedKeySet extends Setting {
    private static final int READY = 1000;

    private final ArrayKeySet keys = new ArrayKeySet();

    /** Connects the channels and replaces both sets of the selector. */
    @Override
    void prepare() throws IOException, ReflectiveOperationException {
        sockets.register(READY, READY, SelectionKey.OP_READ);
        for (String set : new String[] {"selectedKeys", "publicSelectedKeys"}) {
            Field field = Class.forName("sun.nio.ch.SelectorImpl").getDeclaredField(set);
            field.setAccessible(true);
            field.set(selector, keys);
        }
    }

    /** One selection and a loop over the array. */
    @Benchmark
    public int selectAndReset() throws IOException {
        equal(READY, selector.select());
        int ready = 0;
        for (int i = 0; i < keys.size(); i++) {
            ready += keys.get(i).readyOps();
        }
        keys.reset();
        return equal(READY, ready);
    }
}
