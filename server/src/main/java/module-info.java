// SPDX-License-Identifier: Apache-2.0
/** A server whose handlers run where requests arrive, with TLS: {@link dev.pollux.server.StreamServer}. */
module dev.pollux.server {
    requires transitive dev.pollux;

    exports dev.pollux.server;
}
