// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.tls;

import java.net.Socket;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedKeyManager;

/** Keys of another manager. A test hears of it when a server's engine chooses one, in a task of the handshake. */
final class WatchedKeys extends X509ExtendedKeyManager {
    private final X509ExtendedKeyManager keys;
    private final Runnable onChoice;

    WatchedKeys(X509ExtendedKeyManager keys, Runnable onChoice) {
        this.keys = keys;
        this.onChoice = onChoice;
    }

    @Override
    public String chooseEngineServerAlias(String type, Principal[] issuers, SSLEngine engine) {
        onChoice.run();
        return keys.chooseEngineServerAlias(type, issuers, engine);
    }

    @Override
    public String chooseServerAlias(String type, Principal[] issuers, Socket socket) {
        return keys.chooseServerAlias(type, issuers, socket);
    }

    @Override
    public String chooseClientAlias(String[] types, Principal[] issuers, Socket socket) {
        return keys.chooseClientAlias(types, issuers, socket);
    }

    @Override
    public String[] getServerAliases(String type, Principal[] issuers) {
        return keys.getServerAliases(type, issuers);
    }

    @Override
    public String[] getClientAliases(String type, Principal[] issuers) {
        return keys.getClientAliases(type, issuers);
    }

    @Override
    public X509Certificate[] getCertificateChain(String alias) {
        return keys.getCertificateChain(alias);
    }

    @Override
    public PrivateKey getPrivateKey(String alias) {
        return keys.getPrivateKey(alias);
    }
}
