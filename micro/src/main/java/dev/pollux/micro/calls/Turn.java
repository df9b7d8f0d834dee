// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.calls;

import dev.pollux.micro.harness.Sample;

/** What a server showed in one turn of one side, which the sample names as its way. */
record Turn(String server, Sample sample) {
}
