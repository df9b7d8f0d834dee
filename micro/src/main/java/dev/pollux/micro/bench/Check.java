// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.bench;

/** The one check of the benchmarks: a selection that found something else than planned ends the run. */
final class Check {
    private Check() {
    }

    static int equal(int expected, int actual) {
        if (expected != actual) {
            throw new IllegalStateException("expected " + expected + ", was " + actual);
        }
        return actual;
    }
}
