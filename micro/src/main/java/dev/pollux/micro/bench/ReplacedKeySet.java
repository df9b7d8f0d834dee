// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.bench;

import java.io.IOException;
import java.lang.reflect.Field;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Setup;

/** 1000 channels ready, in a selector whose key set was replaced the way Netty replaces it. */
@Fork(jvmArgsAppend = "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED")
public class ReplacedKeySet extends Setting {
    private static final int READY = 1000;

    private Selector selector;
    private ArrayKeySet keys;

    /** Connects the channels and replaces both sets of the selector. */
    @Setup
    public void connect() throws IOException, ReflectiveOperationException {
        sockets = new Sockets(provider).register(READY, READY, SelectionKey.OP_READ);
        selector = sockets.selector;
        keys = new ArrayKeySet();
        Class<?> base = Class.forName("sun.nio.ch.SelectorImpl");
        replace(base.getDeclaredField("selectedKeys"));
        replace(base.getDeclaredField("publicSelectedKeys"));
    }

    private void replace(Field set) throws IllegalAccessException {
        set.setAccessible(true);
        set.set(selector, keys);
    }

    /** One selection and a loop over the array. */
    @Benchmark
    public int selectAndReset() throws IOException {
        Check.equal(READY, selector.select());
        int seen = 0;
        for (int i = 0; i < keys.size(); i++) {
            seen += keys.get(i).readyOps();
        }
        keys.reset();
        return Check.equal(READY, seen);
    }
}
