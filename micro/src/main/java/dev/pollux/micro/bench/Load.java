// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.bench;

/** How many channels are ready of how many that are registered, written {@code 100/2000}. */
record Load(int ready, int channels) {
    static Load parse(String text) {
        int slash = text.indexOf('/');
        return new Load(Integer.parseInt(text.substring(0, slash)), Integer.parseInt(text.substring(slash + 1)));
    }
}
