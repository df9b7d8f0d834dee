#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Runs OpenJDK's own tests of java.nio.channels with the JDK's default selector provider and with
# Pollux, and says which tests pass with only one of them.
#
#   run-openjdk.sh SRC_TREE JDK [PROVIDER[,PROVIDER...] [TEST...]]
#
#   SRC_TREE   an OpenJDK source tree of JDK's release (test/jdk, test/lib, test/jtreg-ext)
#   JDK        the JDK to test
#   PROVIDER   default: dev.pollux.PolluxSelectorProvider
#   TEST       files or directories below SRC_TREE/test/jdk, or "core", which is all of
#              java/nio/channels without File* and Asynchronous*; default: java/nio/channels
#
# Environment:
#   JTREG_HOME         jtreg's directory, default /usr/share/jtreg (Debian's jtreg7 or jtreg8).
#                      JDK 17's tests want jtreg 7.4 or later, JDK 25's want jtreg 8.
#   JTREG_CONCURRENCY  test VMs at a time, default: the number of processors
#   OUT                where results are kept, default: a new temporary directory. A baseline (the run
#                      with the default provider) of the same JDK and tests that is in OUT is used again.
#   POLLUX_JAR         default: the jar in ../target
#   OPTIONS            more options for the VMs of tests with a PROVIDER, "-Ddev.pollux.batch=all" for example
#
# Exit code: 0 no regression, 1 regressions, 2 not run or nothing proved.
# No file of OpenJDK is copied; test classes and results go to OUT.
set -euo pipefail

die() {
    echo "run-openjdk.sh: $*" >&2
    exit 2
}

if [ $# -lt 2 ]; then
    sed -n '3,/^set/p' "$0" | sed '$d; s/^# \{0,1\}//'
    exit 2
fi
arguments=("$(realpath "$1")" "$(realpath "$2")" "${@:3}")
root=$(realpath "$(dirname "$0")/..")
jar=${POLLUX_JAR:-$(find "$root/target" -maxdepth 1 -name 'pollux-*[0-9].jar' 2>/dev/null | head -1)}
out=${OUT:-$(mktemp -d)}
[ -f "$1/test/jdk/TEST.ROOT" ] || die "$1 has no test/jdk/TEST.ROOT"
[ -f "$2/include/jvmti.h" ] || die "$2 is no JDK with include/jvmti.h"
[ -f "${JTREG_HOME:-/usr/share/jtreg}/lib/jtreg.jar" ] ||
    die "no jtreg: install Debian's jtreg7 (JDK 17) or jtreg8 (JDK 25), or set JTREG_HOME"
[ -f "$jar" ] || die "no pollux jar: run mvn -q -DskipTests package, or set POLLUX_JAR"
mkdir -p "$out"
out=$(realpath "$out")
cp "$jar" "$out/pollux.jar" # a path of ours: options are handed on to child VMs, and spaces would end them
cd "$root"

. .ci/setup.sh
need javac cc
program "$out/classes" jtreg-tests/openjdk OpenJdk jtreg-tests/openjdk "$out/pollux.jar" "$out" "${arguments[@]}"
