// SPDX-License-Identifier: Apache-2.0

/*
 * @test id=epoll
 * @summary one provider object, also when many threads ask first, and all channels are its own
 * @library /lib
 * @run main/othervm -Djava.nio.channels.spi.SelectorProvider=dev.pollux.EPollSelectorProvider OneProvider
 */

/*
 * @test id=poll
 * @summary one provider object, also when many threads ask first, and all channels are its own
 * @library /lib
 * @run main/othervm -Djava.nio.channels.spi.SelectorProvider=dev.pollux.PollSelectorProvider OneProvider
 */

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.nio.channels.Channel;
import java.nio.channels.DatagramChannel;
import java.nio.channels.Pipe;
import java.nio.channels.SelectableChannel;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CyclicBarrier;

public class OneProvider {

    private static final int THREADS = 16;

    public static void main(String[] args) throws Exception {
        firstUseByManyThreads();
        channels(SelectorProvider.provider());
        Channel inherited = System.inheritedChannel();
        Check.that(inherited == null || inherited instanceof SelectableChannel, "inherited " + inherited);
    }

    private static void firstUseByManyThreads() throws Exception {
        Set<SelectorProvider> seen = ConcurrentHashMap.newKeySet();
        CyclicBarrier start = new CyclicBarrier(THREADS);
        try (Threads threads = new Threads()) {
            for (int i = 0; i < THREADS; i++) {
                threads.start("first " + i, () -> {
                    start.await();
                    try (Selector selector = Check.open()) {
                        seen.add(selector.provider());
                        seen.add(SelectorProvider.provider());
                    }
                });
            }
        }
        Check.same(1, seen.size(), "providers");
    }

    private static void channels(SelectorProvider provider) throws IOException {
        close(SocketChannel.open(), ServerSocketChannel.open(), DatagramChannel.open());
        close(provider.openSocketChannel(), provider.openServerSocketChannel(), provider.openDatagramChannel());
        for (StandardProtocolFamily family : List.of(StandardProtocolFamily.INET, StandardProtocolFamily.UNIX)) {
            close(SocketChannel.open(family), ServerSocketChannel.open(family));
        }
        close(DatagramChannel.open(StandardProtocolFamily.INET),
                provider.openDatagramChannel(StandardProtocolFamily.INET));
        Pipe pipe = Pipe.open();
        close(pipe.source(), pipe.sink());
        Check.thrown(UnsupportedOperationException.class, () -> DatagramChannel.open(StandardProtocolFamily.UNIX));
        Check.thrown(NullPointerException.class, () -> provider.openSocketChannel(null));
    }

    private static void close(SelectableChannel... channels) throws IOException {
        for (SelectableChannel channel : channels) {
            try (channel) {
                Check.ours(channel);
            }
        }
    }
}
