#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Runs the jtreg tests of this directory on the jar in ../target.
#
#   run.sh [JDK [TEST...]]      JDK: default JAVA_HOME, else the javac in PATH
#                               TEST: selector/Name.java or selector/Name.java#id, default: all
#
# Environment:
#   JTREG_HOME         jtreg's directory, default /usr/share/jtreg (Debian's jtreg7)
#   JTREG_CONCURRENCY  test VMs at a time, default: the number of processors
#   POLLUX_JAR         default: the jar in ../target
#
# Closing line: N passed, N failed, N skipped. Exit code: 0 if none failed, 1 if some, 2 if it could not run.
# Work files and reports go to ../target/jtreg.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)

die() {
    echo "jtreg-tests/run.sh: $*" >&2
    exit 2
}

jdk=${1:-${JAVA_HOME:-$(dirname "$(dirname "$(readlink -f "$(command -v javac || echo /nowhere/bin/javac)")")")}}
shift $(($# < 1 ? $# : 1))
[ -x "$jdk/bin/javac" ] || die "no JDK in $jdk: give one as the argument"
jtreg=${JTREG_HOME:-/usr/share/jtreg}
[ -f "$jtreg/lib/jtreg.jar" ] || die "no jtreg in $jtreg: apt-get install jtreg7, or set JTREG_HOME"
jar=${POLLUX_JAR:-$(find "$here/../target" -maxdepth 1 -name 'pollux-*[0-9].jar' 2>/dev/null | head -1)}
[ -f "$jar" ] || die "no pollux jar: run mvn -q -DskipTests package"
jar=$(realpath "$jar")
release=$(sed -nE 's/^JAVA_VERSION="([0-9]+).*/\1/p' "$jdk/release")
out=$here/../target/jtreg/jdk-$release
rm -rf "$out"
mkdir -p "$out"

# Tests that need a jar on the class path get it by -cpa; the property stands in each test's @run line. Most of the time
# goes to javac and to starting, where the second compiler takes more than it gives.
code=0
"$jdk/bin/java" -Xmx256m -jar "$jtreg/lib/jtreg.jar" \
    -jdk:"$jdk" -agentvm -automatic -ignore:quiet -verbose:summary -retain:fail,error \
    -vmoption:-XX:TieredStopAtLevel=1 -javacoption:-Xlint:all -javacoption:-Werror \
    -concurrency:"${JTREG_CONCURRENCY:-$(nproc)}" -cpa:"$jar" \
    -workDir:"$out/work" -reportDir:"$out/report" -dir:"$here" "${@:-selector}" >"$out/jtreg.log" 2>&1 || code=$?

count() {
    [ ! -f "$out/report/text/summary.txt" ] || grep -Ec "^[^ ]+ +$1\." "$out/report/text/summary.txt" || true
}

# jtreg counts what the platform does not allow, and nothing else, apart.
passed=$(count Passed)
failed=$(($(count Failed) + $(count Error)))
skipped=$(sed -nE 's/.*did not meet platform requirements: ([0-9]+).*/\1/p' "$out/jtreg.log")
if [ "$passed" -eq 0 ] && [ "$failed" -eq 0 ]; then
    cat "$out/jtreg.log"
    die "no test ran: jtreg ended with $code"
fi
grep -E '^(Passed|FAILED|Error):' "$out/jtreg.log" || true
# What a test that did not pass had to say; the rest stands in the same file.
find "$out/work" -name '*.jtr' | sort | while read -r result; do
    grep -q '^test result: Passed' "$result" && continue
    grep -q '^test result:' "$result" || continue  # the platform does not meet its @requires
    echo
    echo "---- $result"
    awk '/^----------/ { on = /^----------(System.err|direct):\([1-9]/; next } on' "$result" | head -60
    grep '^test result:' "$result" | tail -1
done
[ "$failed" -ne 0 ] || [ "$code" -eq 0 ] || tail -20 "$out/jtreg.log"
echo "$passed passed, $failed failed, ${skipped:-0} skipped"
[ "$failed" -eq 0 ] && [ "$code" -eq 0 ]
