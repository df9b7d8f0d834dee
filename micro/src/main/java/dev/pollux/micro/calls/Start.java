// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.calls;

/**
 * What is known of a server once it runs.
 *
 * @param replaced the JDK's native methods that Pollux has replaced in it; empty if none
 */
record Start(String server, String side, String version, String replaced) {
}
