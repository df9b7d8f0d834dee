// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.interrupt;

/**
 * What open connections cost a server.
 *
 * @param engine what the server said that it runs on
 * @param nativeBytes resident memory per connection outside of the heap
 * @param heapBytes heap in use per connection
 */
record Footprint(String way, int connections, String engine, double nativeBytes, double heapBytes) {
}
