#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Runs Pollux on Java runtimes younger than any that test.sh takes: Debian's unstable release has the next JDKs first.
# On each it runs the selector's and the Poller's suites (with their tests of virtual threads and of allocation), the
# tests on the finished jar, and the demo: unmodified HTTP servers and a client.
#
#   src/test/next/run.sh         on all that there are, from 26 on; ten minutes for each
#   src/test/next/run.sh 27 28   on these only
#
# The packages, a C library among them, are unpacked into target/next: nothing is installed, and no root is needed.
# Delete target/next/root to get younger ones. Logs stay in target/next/logs.
# Closing lines: one for each JDK, then the sum: N passed, N failed, N skipped.
set -euo pipefail
cd "$(dirname "$0")/../../.."

. .ci/setup.sh
. .ci/stages.sh
. .ci/junit.sh
. .ci/packages.sh
need javac mvn cc make strace

LOGS=target/next/logs
ROOT=$PWD/target/next/root
NATIVE_ACCESS=--enable-native-access=ALL-UNNAMED
SUMS=()

# http <home>: the demo, which judges every response and every selector.
http() {
    local line
    local row='^([^ ]+) +(dev\.pollux\.[^ ]+ x[0-9]+) +[0-9]+ +([0-9]+) +0 .*'
    "$1/bin/java" -cp "$PWD/micro/target/classes:$PWD/micro/target/lib/*" dev.pollux.micro.demo.Demo \
        "$JAR" "$LOGS/http" 2>&1 | tee "$LOGS/http.out"
    while read -r line; do
        note "$line"
        count 1 0 0
    done < <(sed -nE "s/$row/\\1 on \\2: \\3 requests answered/p" "$LOGS/http.out")
}

# on <home>: everything on that JRE.
on() {
    local version java=$1/bin/java passed=$PASSED failed=$FAILED skipped=$SKIPPED
    version=$("$java" -XshowSettings:properties -version 2>&1 | sed -n 's/^ *java\.version = //p')
    stage "JUnit of what the selector and the Poller promise alike on JDK $version" \
        junit "$java" dev.pollux.waiting $NATIVE_ACCESS
    stage "JUnit of the selector on JDK $version" junit "$java" dev.pollux.selector $NATIVE_ACCESS
    stage "JUnit of the Poller on JDK $version" junit "$java" dev.pollux.poller $NATIVE_ACCESS
    CLASSES='.*IT' stage "JUnit on the finished jar, with JDK $version" junit "$java" dev.pollux.loading \
        $NATIVE_ACCESS "-Dpollux.jar=$JAR" "-Dpollux.test.jdks=$1"
    stage "HTTP servers and clients on JDK $version" http "$1"
    SUMS+=("JDK $version: $((PASSED - passed)) passed, $((FAILED - failed)) failed, $((SKIPPED - skipped)) skipped")
}

unpacked_jdks "$ROOT"
artifacts -q -DskipTests package
micro/build.sh
JAR=$(jar)
mkdir -p "$LOGS"
for home in "$ROOT"/usr/lib/jvm/java-[0-9][0-9]-openjdk-*; do
    feature=$(basename "$home" | cut -d - -f 2)
    if [ $# = 0 ] || [[ " $* " = *" $feature "* ]]; then
        on "$home"
    fi
done
printf '\n'
printf '%s\n' "${SUMS[@]}"
finish
