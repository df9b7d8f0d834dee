// SPDX-License-Identifier: Apache-2.0

/*
 * @test id=epoll
 * @summary in one VM, without the property, several class loaders each have a Pollux that works
 * @library /lib
 * @run main TwoLoaders dev.pollux.EPollSelectorProvider
 */

/*
 * @test id=poll
 * @summary in one VM, without the property, several class loaders each have a Pollux that works
 * @library /lib
 * @run main TwoLoaders dev.pollux.PollSelectorProvider
 */

import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.spi.SelectorProvider;
import java.util.ArrayList;
import java.util.List;

/** Runs in the VM that jtreg keeps for several tests, where the test's own class loader is one more. */
public class TwoLoaders {

    private static final int LOADERS = 3;

    public static void main(String[] args) throws Exception {
        String name = args[0];
        Check.same(null, System.getProperty(Check.PROPERTY), "the property");
        List<SelectorProvider> providers = new ArrayList<>();
        List<URLClassLoader> loaders = new ArrayList<>();
        Class<?> own = Class.forName(name);
        providers.add(create(own));
        URL[] jar = {own.getProtectionDomain().getCodeSource().getLocation()};
        for (int i = 0; i < LOADERS; i++) {
            URLClassLoader loader = new URLClassLoader(jar, ClassLoader.getPlatformClassLoader());
            loaders.add(loader);
            Class<?> type = loader.loadClass(name);
            Check.that(type.getClassLoader() == loader, type + " was loaded by " + type.getClassLoader());
            providers.add(create(type));
        }
        // Twice: what the later loaders did must not have broken what the earlier had.
        for (int round = 0; round < 2; round++) {
            for (SelectorProvider provider : providers) {
                use(provider);
            }
        }
        for (URLClassLoader loader : loaders) {
            loader.close();
        }
        use(providers.get(LOADERS));
    }

    private static SelectorProvider create(Class<?> type) throws ReflectiveOperationException {
        return (SelectorProvider) type.getConstructor().newInstance();
    }

    private static void use(SelectorProvider provider) throws IOException {
        Pipe pipe = provider.openPipe();
        try (Selector selector = provider.openSelector();
                Pipe.SourceChannel source = pipe.source(); Pipe.SinkChannel sink = pipe.sink()) {
            Check.ours(selector);
            Check.that(selector.getClass().getClassLoader() == provider.getClass().getClassLoader(),
                    "the selector has another loader");
            Check.that(selector.provider() == provider && source.provider() == provider, "another provider");
            source.configureBlocking(false).register(selector, SelectionKey.OP_READ);
            Check.same(0, selector.wakeup().select(), "keys of a woken selection");
            sink.write(ByteBuffer.allocate(1));
            Check.same(1, selector.select(), "keys after a write");
        }
    }
}
