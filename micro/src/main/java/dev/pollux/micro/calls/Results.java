// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.calls;

import java.util.ArrayList;
import java.util.List;

/** What came out, in the order of measuring. Not thread-safe. */
record Results(String mitigation, List<Start> starts, List<Turn> turns, List<Counted> counted) {
    Results(String mitigation) {
        this(mitigation, new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
    }
}
