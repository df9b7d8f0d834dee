// SPDX-License-Identifier: Apache-2.0
package dev.pollux.loading.program;

import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.spi.SelectorProvider;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Two applications in one VM, each with a Pollux of its own, as in an application server. */
public final class TwoLoaders {

    private TwoLoaders() {
    }

    /** Takes Pollux's jar; opens a selector in each of two class loaders, then selects with both. */
    public static void main(String[] arguments) throws Exception {
        URL[] jar = {Path.of(arguments[0]).toUri().toURL()};
        ClassLoader platform = ClassLoader.getPlatformClassLoader();
        try (URLClassLoader one = new URLClassLoader(jar, platform);
                URLClassLoader two = new URLClassLoader(jar, platform)) {
            List<SelectorProvider> providers = List.of(provider(one), provider(two));
            List<Selector> selectors = new ArrayList<>();
            for (SelectorProvider provider : providers) {
                selectors.add(provider.openSelector());
            }
            System.out.println("different " + (selectors.get(0).getClass() != selectors.get(1).getClass()));
            for (int i = 0; i < 2; i++) {
                System.out.println("selected " + select(providers.get(i), selectors.get(i)));
            }
        }
    }

    private static SelectorProvider provider(ClassLoader loader) throws ReflectiveOperationException {
        return (SelectorProvider) loader.loadClass("dev.pollux.EPollSelectorProvider").getConstructor().newInstance();
    }

    private static int select(SelectorProvider provider, Selector selector) throws IOException {
        Pipe pipe = provider.openPipe();
        try (Pipe.SourceChannel source = pipe.source(); Pipe.SinkChannel sink = pipe.sink(); selector) {
            source.configureBlocking(false);
            source.register(selector, SelectionKey.OP_READ);
            sink.write(ByteBuffer.allocate(1));
            return selector.select(10_000);
        }
    }
}
