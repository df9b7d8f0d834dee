# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Sourced by test.sh and scripts below src/test after setup.sh and stages.sh: runs JUnit in one virtual machine of our
# choice, whose output we see. Needs what "artifacts" leaves.

FOLDERS="server tools ." # of the artifacts that have tests for it

# tests: the folders of test classes. products: those of what they test. libraries: what they need besides.
tests() {
    local folder list=
    for folder in $FOLDERS; do
        list=$list${list:+:}$folder/target/test-classes
    done
    echo "$list"
}

products() {
    tests | sed 's/test-classes/classes/g'
}

libraries() {
    local folder
    for folder in $FOLDERS; do
        cat "$folder/target/test-classpath" && echo :
    done | tr -d '\n'
}

# junit <java> <package...> [option of the VM...]: the test classes below these packages, a list in one word, or such of
# them as $CLASSES matches, with the jars $PRODUCT or what was compiled; in all of $FOLDERS, or in $FOLDER alone.
# EXCLUDED_TAG=load leaves out those that keep processors busy for seconds, INCLUDED_TAG=load all others.
junit() {
    local java=$1 package status=0 out packages=()
    for package in $2; do
        packages+=(--include-package "$package")
    done
    shift 2
    "$java" -version
    out=$(mktemp "$LOGS/junit.XXXXXX")
    "$java" "$@" --add-exports java.base/sun.nio.ch=ALL-UNNAMED \
        -cp "$(tests):${PRODUCT:-$(products)}:$(libraries)" \
        org.junit.platform.console.ConsoleLauncher execute --disable-banner --disable-ansi-colors --details=tree \
        --scan-classpath "$(FOLDERS=${FOLDER:-$FOLDERS} tests)" "${packages[@]}" \
        --include-classname "${CLASSES:-.*Test}" ${EXCLUDED_TAG:+--exclude-tag "$EXCLUDED_TAG"} \
        ${INCLUDED_TAG:+--include-tag "$INCLUDED_TAG"} >"$out" 2>&1 || status=$?
    cat "$out"
    per_mechanism "$out"
    count "$(found "$out" 'tests successful')" \
        "$(($(found "$out" 'tests failed') + $(found "$out" 'containers failed')))" \
        "$(($(found "$out" 'tests skipped') + $(found "$out" 'tests aborted')))"
    # What -Xcheck:jni has to say. No test counts it, so it counts as one.
    if grep -nE 'WARNING in native method|WARNING: JNI|FATAL ERROR in native method' "$out"; then
        count 0 1 0
    fi
    rm "$out"
    return $status
}

# Notes how many tests of the suites of the selector and the Poller ran on each mechanism, and why some were skipped.
per_mechanism() {
    {
        results "$1" | sort | uniq -c | sed -E 's/^ *([0-9]+) (.*) ([a-z]+)$/\2: \1 \3/'
        grep -oE '(Assumption failed|=> Reason): .*' "$1" | sort | uniq -c |
            sed -E 's/^ *([0-9]+) /skipped \1 times: /'
    } >>"$RECORD.notes" || true
}

# One line for each test that ran on a mechanism: its name, and passed, failed or skipped.
results() {
    local on='(dev\.pollux\.[A-Za-z]+SelectorProvider|poller on [a-z/]+)'
    # One that is slow has its time in between.
    grep -oE "$on( [0-9]+ ms)? (✔|✘|■|↷|\[(OK|X|A|S)\])" "$1" | sed -E 's/^dev\.pollux\.//; s/SelectorProvider//
        s/ [0-9]+ ms//
        s/(✔|\[OK\])/passed/; s/(✘|\[X\])/failed/; s/(■|↷|\[A\]|\[S\])/skipped/'
}

found() {
    sed -n "s/^\[ *\([0-9]*\) $2 *\]\$/\1/p" "$1" | grep . || echo 0
}
