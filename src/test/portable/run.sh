#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Tests Pollux on the system where it is started, from what pack.sh has packed: the jar's diagnosis and check, then the
# suites of the selector, the Poller and StreamServer, once for each mechanism of this system. Tests with the tag
# "load" are left out, and those of the examples in the sources and docs. What needs Linux or another program is
# skipped; the logs say why.
#
#   sh run.sh [option of the VM...]
#
# JAVA names the java command; default: that of JAVA_HOME, else the one in PATH. Plain sh, since not every system has
# another shell; there are no paths in its options, since Windows writes them in another way. Logs are left in ./logs.
# The last line is "N passed, N failed, N skipped".
set -eu
cd "$(dirname "$0")"

NATIVE_ACCESS=--enable-native-access=ALL-UNNAMED
JAVA=${JAVA:-${JAVA_HOME:+$JAVA_HOME/bin/}java}
PASSED=0 FAILED=0 SKIPPED=0

# counted <passed> <failed> <skipped>
counted() {
    PASSED=$((PASSED + $1)) FAILED=$((FAILED + $2)) SKIPPED=$((SKIPPED + $3))
    echo "   $1 passed, $2 failed, $3 skipped"
}

# diagnosis [option...]
diagnosis() {
    echo "== diagnosis"
    passed=1
    "$JAVA" $NATIVE_ACCESS "$@" -cp lib/pollux.jar dev.pollux.Diagnosis >logs/diagnosis 2>&1 || passed=0
    cat logs/diagnosis
    counted $passed $((1 - passed)) 0
}

# check [option...]: as a user would call it. It counts for itself.
check() {
    echo "== check"
    "$JAVA" $NATIVE_ACCESS "$@" -jar pollux-tools.jar check >logs/check 2>&1 || true
    cat logs/check
    # shellcheck disable=SC2046 # three words
    counted $(tr -d '\r' <logs/check | sed -n 's/^\([0-9]*\) ok, \([0-9]*\) failed, \([0-9]*\) skipped$/\1 \2 \3/p' |
        grep . || echo 0 1 0)
}

# What the diagnosis has found, best first, with commas between.
mechanisms() {
    tr -d '\r' <logs/diagnosis | sed -n 's/^mechanisms: *\(.*\) (best first)$/\1/p' | tr -d ' '
}

# providers <mechanism,...>: the classes of their providers, with commas between.
providers() {
    echo "$1" | tr , '\n' | sed 's/^epoll$/EPoll/; s/^kqueue$/KQueue/; s:^/dev/poll$:DevPoll:; s/^wepoll$/WEPoll/
        s/^poll$/Poll/; s/.*/dev.pollux.&SelectorProvider/' | paste -sd , -
}

# suite <name> <packages, a list in one word> [option...]: those of dev.pollux, in one virtual machine.
suite() {
    name=$1
    packages=
    for package in $2; do
        packages="$packages --include-package dev.pollux.$package"
    done
    shift 2
    echo "== $name"
    # shellcheck disable=SC2086 # one word for each package
    "$JAVA" $NATIVE_ACCESS "$@" --add-exports java.base/sun.nio.ch=ALL-UNNAMED -cp 'lib/*' \
        "-Dpollux.test.providers=$PROVIDERS" "-Dpollux.test.mechanisms=$MECHANISMS" \
        org.junit.platform.console.ConsoleLauncher execute --disable-banner --disable-ansi-colors --details=tree \
        --details-theme=ascii --scan-classpath lib/tests.jar --include-classname '.*Test' \
        --exclude-classname '.*ExampleTest' $packages --exclude-tag load >"logs/$name" 2>&1 || true
    tr -d '\r' <"logs/$name" >"logs/$name.txt"
    rm "logs/$name"
    grep -E '\[X\]' "logs/$name.txt" || true
    # A suite that did not get to its end has failed.
    counted "$(found "$name" 'tests successful' 0)" \
        "$(($(found "$name" 'tests failed' 1) + $(found "$name" 'containers failed' 0)))" \
        "$(($(found "$name" 'tests skipped' 0) + $(found "$name" 'tests aborted' 0)))"
}

# found <suite> <count> <what it is if there is none>
found() {
    sed -n "s/^\[ *\([0-9]*\) $2 *\]\$/\1/p" "logs/$1.txt" | grep . || echo "$3"
}

mkdir -p logs
diagnosis "$@"
check "$@"
MECHANISMS=$(mechanisms)
if [ -n "$MECHANISMS" ]; then
    PROVIDERS=$(providers "$MECHANISMS")
    suite waiting waiting "$@"
    suite selector "selector provider" "$@"
    suite poller poller "$@"
    suite server server "$@"
fi
echo
echo "$PASSED passed, $FAILED failed, $SKIPPED skipped"
[ "$FAILED" = 0 ]
