// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.servers;

import java.util.ArrayList;
import java.util.List;

/** All that was measured, in the order of measuring. Used by one thread. */
record Results(List<Footprint> footprints, List<Sample> samples) {
    Results() {
        this(new ArrayList<>(), new ArrayList<>());
    }
}
