// SPDX-License-Identifier: Apache-2.0
package dev.pollux.compatibility;

import java.io.IOException;

/** Requests and answers on one connection, one after the other. One thread may send while another receives. */
interface Exchange {
    void send(byte[] body) throws IOException;

    /**
     * Receives one answer.
     *
     * @param length how long it should be
     * @return its body, which is shorter if the connection ends
     */
    byte[] receive(int length) throws IOException;
}
