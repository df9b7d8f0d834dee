// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.tls;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.Security;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedKeyManager;
import org.junit.jupiter.api.Assumptions;

/** A connection over loopback: the JDK's own SSLSocket is the client, what is tested has the other end. */
public final class TlsLab implements AutoCloseable {
    public static final int MEGABYTES = 3 << 20;

    private static final char[] PASSWORD = "password".toCharArray();

    /** Has a context made once: it takes a second. */
    private static final class Contexts {
        static final KeyStore KEYS;

        static {
            // read once by the JDK: what is longer than four megabytes changes its keys
            Security.setProperty("jdk.tls.keyLimits", "AES/GCM/NoPadding KeyUpdate 2^22");
            KEYS = makeKeys();
        }
    }

    /** "false": a client may begin another handshake. */
    public static final String REFUSAL = "jdk.tls.rejectClientInitiatedRenegotiation";

    final SSLEngine engine;
    final TlsStream stream;
    final BufferPool pool = new BufferPool();
    final SocketChannel channel;
    final Socket tcp;
    final SSLSocket client;

    TlsLab(String protocol, String... suites) throws Exception {
        this(false, true, protocol, suites);
    }

    TlsLab(boolean demandsCertificate, boolean clientHasCertificate, String protocol, String... suites)
            throws Exception {
        engine = context(true).createSSLEngine();
        engine.setUseClientMode(false);
        engine.setNeedClientAuth(demandsCertificate);
        stream = new TlsStream(engine, pool);
        try (ServerSocketChannel listener = ServerSocketChannel.open()) {
            listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            tcp = new Socket(InetAddress.getLoopbackAddress(), listener.socket().getLocalPort());
            channel = listener.accept();
        }
        client = (SSLSocket) context(clientHasCertificate).getSocketFactory()
                .createSocket(tcp, "localhost", tcp.getPort(), true);
        client.setSoTimeout(20_000);
        client.setEnabledProtocols(new String[] {protocol});
        if (suites.length > 0) {
            Assumptions.assumeTrue(Arrays.asList(client.getSupportedCipherSuites()).containsAll(Arrays.asList(suites)));
            client.setEnabledCipherSuites(suites);
        }
    }

    public static SSLContext context(boolean hasCertificate) throws Exception {
        return context(hasCertificate ? keys().getKeyManagers() : new KeyManager[0]);
    }

    /** One that calls something in the task of a handshake in which a server chooses its key. */
    public static SSLContext context(Runnable onChoice) throws Exception {
        X509ExtendedKeyManager manager = (X509ExtendedKeyManager) keys().getKeyManagers()[0];
        return context(new WatchedKeys(manager, onChoice));
    }

    private static KeyManagerFactory keys() throws Exception {
        KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(store(), PASSWORD);
        return keys;
    }

    private static SSLContext context(KeyManager... keys) throws Exception {
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(store());
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(keys, trust.getTrustManagers(), null);
        return context;
    }

    /** Skips the test in a runtime without keytool: what an initialiser throws would be a failure. */
    private static KeyStore store() {
        Assumptions.assumeTrue(Files.isExecutable(keytool()), "this runtime has no keytool");
        return Contexts.KEYS;
    }

    private static Path keytool() {
        String name = File.separatorChar == '\\' ? "keytool.exe" : "keytool";
        return Path.of(System.getProperty("java.home"), "bin", name);
    }

    /** A key with a certificate that it has signed itself, trusted by both ends. */
    private static KeyStore makeKeys() {
        try {
            Path folder = Files.createTempDirectory("tls");
            Path file = folder.resolve("keys.p12");
            Process process = new ProcessBuilder(keytool().toString(), "-genkeypair", "-alias", "server",
                    "-keyalg", "RSA", "-keysize", "2048", "-dname", "CN=localhost", "-ext", "san=dns:localhost",
                    "-storetype", "PKCS12", "-keystore", file.toString(), "-storepass", new String(PASSWORD))
                    .redirectErrorStream(true).redirectOutput(ProcessBuilder.Redirect.DISCARD).start();
            process.getOutputStream().close(); // the end of a process does so on Linux, not on Windows
            if (process.waitFor() != 0) {
                throw new IllegalStateException("keytool: " + process.exitValue());
            }
            KeyStore store = KeyStore.getInstance("PKCS12");
            try (InputStream in = Files.newInputStream(file)) {
                store.load(in, PASSWORD);
            }
            store.setCertificateEntry("trusted", store.getCertificate("server"));
            Files.delete(file);
            Files.delete(folder);
            return store;
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    public static byte[] randomBytes(int length) {
        byte[] bytes = new byte[length];
        new Random(length).nextBytes(bytes);
        return bytes;
    }

    /** Runs something beside the test. */
    static <T> FutureTask<T> start(Callable<T> step) {
        FutureTask<T> task = new FutureTask<>(step);
        Thread thread = new Thread(task, "beside the test");
        thread.setDaemon(true);
        thread.start();
        return task;
    }

    static <T> T get(FutureTask<T> task) throws Exception {
        return task.get(30, TimeUnit.SECONDS);
    }

    /** Waits until a thread is in a blocking call, as far as can be told: without that the test still holds. */
    static void letBlock() throws InterruptedException {
        Thread.sleep(100);
    }

    FutureTask<Void> startWriting(byte[] bytes) {
        return start(() -> {
            client.getOutputStream().write(bytes);
            return null;
        });
    }

    byte[] readByClient(int length) throws IOException {
        return client.getInputStream().readNBytes(length);
    }

    /** Ends what the client sends, and waits for what serves it. */
    void end(FutureTask<Void> served) throws Exception {
        client.shutdownOutput();
        get(served);
    }

    @Override
    public void close() throws IOException {
        channel.close();
        tcp.close();
    }
}
