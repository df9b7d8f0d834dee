// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.interrupt;

import dev.pollux.micro.harness.Sample;
import java.util.ArrayList;
import java.util.List;

/** What came out, in the order of measuring. Not thread-safe. */
record Results(List<Footprint> footprints, List<Sample> samples, List<Calls> calls) {
    Results() {
        this(new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
    }
}
