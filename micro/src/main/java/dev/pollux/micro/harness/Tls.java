// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.harness;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.List;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;

/** TLS by the JDK's provider, with a self-signed certificate that keytool makes. Stateless. */
public final class Tls {
    private static final String PASSWORD = "password";

    private Tls() {
    }

    /** Makes a certificate; null if {@code pollux.micro.tls}, which says whether to serve with TLS, is not set. */
    public static SSLContext context() throws IOException {
        if (!Boolean.getBoolean("pollux.micro.tls")) {
            return null;
        }
        Path folder = Files.createTempDirectory("pollux-micro-");
        File store = folder.resolve("store").toFile();
        try {
            Child.output(List.of(Child.tool("keytool"), "-genkeypair", "-keyalg", "EC", "-dname", "CN=localhost",
                    "-storetype", "PKCS12", "-keystore", store.toString(), "-storepass", PASSWORD));
            KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            keys.init(KeyStore.getInstance(store, PASSWORD.toCharArray()), PASSWORD.toCharArray());
            SSLContext context = SSLContext.getInstance("TLSv1.3");
            context.init(keys.getKeyManagers(), null, null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new IOException(e);
        } finally {
            Files.deleteIfExists(store.toPath());
            Files.delete(folder);
        }
    }
}
