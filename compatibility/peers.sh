#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Runs the test suite of another project on the JDK's selectors, on Pollux, and on Pollux with
# -Ddev.pollux.batch=all, in turns, and says which tests fail on Pollux alone.
#
#   compatibility/peers.sh SUITE [ROUNDS [OPTION...]]
#
#   SUITE    netty, kafka, undertow, hazelcast, vertx or zookeeper: the profiles of peers/pom.xml
#   ROUNDS   how often on each side, default 3
#   OPTION   for Maven: -Dtest=SelectorTest for one class, -Djvm=/path/of/java for another JDK
#
# A test that fails in two thirds of the rounds on one side of Pollux, and never on the JDK, is a fault. One that never
# passes on the JDK counts as skipped. Reports and logs stay in target/peers/SUITE. Run it on a quiet machine.
#
# The last line is "N passed, N failed, N skipped". Exit code: 0 no fault, 1 faults, 2 not run.
set -euo pipefail
if [ $# = 0 ]; then
    sed -n '/^# Runs/,/^set/ { /^set/! s/^# \{0,1\}//p }' "$0" >&2
    exit 2
fi
exec "$(dirname "$0")/../src/test/run.sh" peers "$@"
