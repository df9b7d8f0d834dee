#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Runs every test there is. Installs what it needs if it may (Debian packages), else names it.
# The last line is the sum: N passed, N failed, N skipped. Logs are left in target/test-logs.
set -euo pipefail
cd "$(dirname "$0")"

. .ci/setup.sh
. .ci/stages.sh
. .ci/junit.sh
need javac mvn cc make strace jtreg cmocka pkg-config bmake

build() {
    local jar
    rm -f target/pollux-*.jar # never test what an earlier build left
    mvn -B -ntp -DskipTests package
    for jar in target/pollux-*.jar; do
        "$JAVA_HOME/bin/jar" tf "$jar" >/dev/null
        count 1 0 0
    done
}

# A suite that Maven runs: maven <folder of reports> <goal...>
maven() {
    local reports=target/$1 status=0 tests errors failures skipped
    shift
    rm -rf "$reports"
    mvn -B -ntp "$@" || status=$?
    # One XML file for each class; the attributes of its first element are the counts.
    read -r tests errors failures skipped < <(grep -h -m 1 '<testsuite ' "$reports"/TEST-*.xml |
        awk '{ for (i = 1; i <= NF; i++) if (split($i, part, "\"") > 1) n[part[1]] += part[2] }
             END { print n["tests="] + 0, n["errors="] + 0, n["failures="] + 0, n["skipped="] + 0 }')
    count $((tests - errors - failures - skipped)) $((errors + failures)) "$skipped"
    return $status
}

# A suite that adds up itself: summing <command> [argument...]
summing() {
    local status=0 out
    out=$(mktemp "$LOGS/output.XXXXXX")
    "$@" >"$out" 2>&1 || status=$?
    cat "$out"
    closing_line "$out"
    rm "$out"
    return $status
}

# Counts what the last line of the form "N passed, N failed[, N skipped]" in a file says.
closing_line() {
    local passed failed skipped
    while read -r passed failed skipped; do
        count "$passed" "$failed" "${skipped:-0}"
    done < <(sed -nE 's/^([0-9]+) passed, ([0-9]+) failed(, ([0-9]+) skipped)?$/\1 \2 \4/p' "$1" | tail -n 1)
}

# A suite on a mechanism that is emulated here: emulated <package> <option that names the mechanism>
emulated() {
    make --no-print-directory -C src/test/native emulated SANITIZE= OUT="$PWD/target/emulated"
    junit "$JAVA_HOME/bin/java" "$1" "-Ddev.pollux.library.path=$PWD/target/emulated" "$2"
}

# The benchmarks' own count of system calls; one operation and provider on a line.
system_calls() {
    local status=0 out
    out=$(mktemp "$LOGS/output.XXXXXX")
    micro/syscalls.sh >"$out" 2>&1 || status=$?
    cat "$out"
    count "$(grep -c 'as promised$' "$out")" "$(grep -c 'WRONG' "$out")" 0
    rm "$out"
    return $status
}

# The second build of the same sources, at another path and with another umask, must give the same bytes.
same_bytes() {
    local copy jar
    copy=$(mktemp -d "${TMPDIR:-/tmp}/pollux build.XXXXXX")
    cp -r pom.xml LICENSE NOTICE src "$copy"
    (cd "$copy" && umask 002 && mvn -q -B -DskipTests package)
    for jar in target/pollux-*.jar; do
        if cmp "$jar" "$copy/$jar"; then count 1 0 0; else count 0 1 0; fi
    done
    rm -rf "$copy"
}

mkdir -p "$LOGS"
stage "build" build
[ "$FAILED" = 0 ] || { finish; exit 1; }
stage "JUnit" maven surefire-reports surefire:test
stage "JUnit on the finished jar" maven failsafe-reports failsafe:integration-test failsafe:verify
stage "the same bytes from a second build" same_bytes
stage "C library under ASan and UBSan" summing make --no-print-directory -C src/test/native check
stage "C library, installed" summing src/test/native/installed.sh
mvn -q -B dependency:build-classpath -Dmdep.outputFile=target/test-classpath
stage "JUnit with -Xcheck:jni" junit "$JAVA_HOME/bin/java" dev.pollux -Xcheck:jni
stage "JUnit of the selector on an emulated kqueue" emulated dev.pollux.selector \
    -Dpollux.test.providers=dev.pollux.KQueueSelectorProvider
stage "JUnit on a kqueue as FreeBSD, OpenBSD and NetBSD have it" \
    summing src/test/native/families.sh --concerned freebsd openbsd netbsd
stage "JUnit of the selector on an emulated /dev/poll" emulated dev.pollux.selector \
    -Dpollux.test.providers=dev.pollux.DevPollSelectorProvider
stage "JUnit of the Poller on an emulated kqueue and /dev/poll" emulated dev.pollux.poller \
    -Dpollux.test.mechanisms=kqueue,/dev/poll
for version in 21 25; do
    if java=$(installed $version) && [ -n "$java" ]; then
        stage "JUnit on JDK $version" junit "$java" dev.pollux
    elif java=$(fetched $version 2>/dev/null) && [ -n "$java" ]; then
        stage "JUnit of the selector on JDK $version" junit "$java" dev.pollux.selector
        stage "JUnit of the Poller on JDK $version" junit "$java" dev.pollux.poller
    else
        skip "JUnit on JDK $version" "no JDK $version in /usr/lib/jvm, and no pip to fetch one"
    fi
done
if strace -o /dev/null true 2>/dev/null; then
    stage "system calls of single operations" system_calls
else
    skip "system calls of single operations" "strace is not permitted here"
fi
stage "jtreg" summing jtreg-tests/run.sh
stage "jcstress, for a minute" summing stress/run.sh short
# Last, because the jar is another one then.
stage "the jar for all platforms, on x86-64, aarch64 and s390x" summing src/test/foreign/run.sh x86_64 aarch64 s390x
finish
