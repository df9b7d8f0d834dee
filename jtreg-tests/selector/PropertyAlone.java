// SPDX-License-Identifier: Apache-2.0

/*
 * @test id=best
 * @summary the class path and the property are enough: no other flag, and the selector is ours
 * @modules java.management
 * @library /lib
 * @run main/othervm -Djava.nio.channels.spi.SelectorProvider=dev.pollux.PolluxSelectorProvider PropertyAlone
 */

/*
 * @test id=epoll
 * @summary the class path and the property are enough: no other flag, and the selector is ours
 * @modules java.management
 * @library /lib
 * @run main/othervm -Djava.nio.channels.spi.SelectorProvider=dev.pollux.EPollSelectorProvider PropertyAlone
 */

/*
 * @test id=poll
 * @summary the class path and the property are enough: no other flag, and the selector is ours
 * @modules java.management
 * @library /lib
 * @run main/othervm -Djava.nio.channels.spi.SelectorProvider=dev.pollux.PollSelectorProvider PropertyAlone
 */

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.List;

public class PropertyAlone {

    /** Flags that would open the JDK to us or bring us in another way. */
    private static final List<String> HELPERS = List.of("--add-opens", "--add-exports", "--patch-module",
        "--enable-native-access", "--illegal", "-javaagent", "-agent", "-Xbootclasspath");

    public static void main(String[] args) throws IOException {
        for (String flag : ManagementFactory.getRuntimeMXBean().getInputArguments()) {
            Check.that(HELPERS.stream().noneMatch(flag::startsWith), "this VM has the flag " + flag);
        }
        Pipe pipe = Pipe.open();
        try (Selector selector = Check.open();
                Pipe.SourceChannel source = pipe.source(); Pipe.SinkChannel sink = pipe.sink()) {
            source.configureBlocking(false);
            SelectionKey key = source.register(selector, SelectionKey.OP_READ);
            Check.same(0, selector.selectNow(), "keys before anything was written");
            sink.write(ByteBuffer.allocate(1));
            Check.same(1, selector.select(), "keys after a write");
            Check.that(selector.selectedKeys().contains(key), "the key is not selected");
            Check.that(key.isReadable(), "the key is not readable");
        }
    }
}
