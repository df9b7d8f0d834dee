// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.contest;

import dev.pollux.micro.apps.server.ServerProcess;
import java.io.IOException;

/**
 * A server in one of the ways that are compared.
 *
 * @param server what is compared with each other has the same name here
 * @param way as the tables and the files of figures name it
 * @param protocol what its peers speak, as load.c knows it
 * @param starter starts it
 */
public record Entry(String server, String way, String protocol, Starter starter) {
    /** Starts a server in a process of its own. */
    public interface Starter {
        /** Starts one more. Argument: how many connections it will have. */
        ServerProcess start(int connections) throws IOException;
    }
}
