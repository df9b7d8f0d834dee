// SPDX-License-Identifier: Apache-2.0
package dev.pollux.loading.program;

import java.io.InputStream;
import java.lang.ref.WeakReference;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.nio.channels.spi.SelectorProvider;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** Class loaders that load Pollux come and go, as in an application server. Sockets go on working. */
public final class UnloadedPollux {
    private static final int LOADERS = 3;
    private static final int TRANSFERS = 1000;

    private UnloadedPollux() {
    }

    /** Takes Pollux's jar. */
    public static void main(String[] arguments) throws Exception {
        URL jar = Path.of(arguments[0]).toUri().toURL();
        for (int i = 0; i < LOADERS; i++) {
            WeakReference<ClassLoader> loader = use(jar);
            System.out.println("unloaded " + isUnloaded(loader));
            transfer();
        }
        System.out.println("replaced: " + System.getProperty("dev.pollux.calls.replaced"));
        System.out.println("transferred");
    }

    private static WeakReference<ClassLoader> use(URL jar) throws Exception {
        try (URLClassLoader loader = new URLClassLoader(new URL[] {jar}, ClassLoader.getPlatformClassLoader())) {
            Class<?> type = loader.loadClass("dev.pollux.EPollSelectorProvider");
            ((SelectorProvider) type.getConstructor().newInstance()).openSelector().close();
            return new WeakReference<>(loader);
        }
    }

    private static boolean isUnloaded(WeakReference<ClassLoader> loader) throws InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
        while (loader.get() != null && System.nanoTime() < deadline) {
            System.gc();
            Thread.sleep(10);
        }
        System.gc(); // the VM unloads classes and libraries
        return loader.get() == null;
    }

    private static void transfer() throws Exception {
        Pipe pipe = Pipe.open();
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                Socket near = new Socket(server.getInetAddress(), server.getLocalPort()); Socket far = server.accept();
                Pipe.SinkChannel sink = pipe.sink(); Pipe.SourceChannel source = pipe.source()) {
            InputStream in = far.getInputStream();
            for (int i = 0; i < TRANSFERS; i++) {
                near.getOutputStream().write(i);
                sink.write(ByteBuffer.wrap(new byte[] {(byte) i}));
                ByteBuffer room = ByteBuffer.allocate(1);
                source.read(room);
                if (in.read() != (i & 0xff) || room.get(0) != (byte) i) {
                    throw new AssertionError("another byte came");
                }
            }
        }
    }
}
