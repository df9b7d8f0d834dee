#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Runs another project's tests on the JDK's selectors, on Pollux, and with -Ddev.pollux.batch=all, in turns, and says
# which fail on Pollux alone: in two thirds of the rounds, and never on the JDK. One that never passes on the JDK counts
# as skipped. Reports and logs stay in target/peers/SUITE. Run it on a quiet machine.
#
#   compatibility/peers.sh SUITE [ROUNDS [OPTION...]]
#
#   SUITE    netty, kafka, undertow, hazelcast, vertx or zookeeper: the profiles of peers/pom.xml
#   ROUNDS   how often on each side, default 3
#   OPTION   for Maven: -Dtest=SelectorTest for one class, -Djvm=/path/of/java for another JDK
#
# The last line is "N passed, N failed, N skipped". Exit code: 0 no fault, 1 faults, 2 not run.
set -euo pipefail
[ $# != 0 ] || { sed -n '/^# Runs/,/^set/ { /^set/! s/^# \{0,1\}//p }' "$0" >&2; exit 2; }
exec "$(dirname "$0")/../src/test/run.sh" peers "$@"
