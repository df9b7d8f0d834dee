// SPDX-License-Identifier: Apache-2.0
package dev.pollux.compatibility;

/** What is tried: a framework that nobody has changed, started, driven and stopped by its public interface. */
public interface Framework {
    /** Starts what serves. */
    void start() throws Exception;

    /**
     * Has clients use it, checks every answer, and ends the clients.
     *
     * @return how many answers came
     * @throws Exception if one was wrong or did not come
     */
    long drive() throws Exception;

    /** Stops what serves, as its documentation says. Its threads must end by themselves afterwards. */
    void stop() throws Exception;
}
