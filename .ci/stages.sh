# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Sourced by test.sh and scripts below src/test: runs stages, keeps what they say in $LOGS, adds up what they
# count. A stage is a function. It leaves its counts with "count"; what it prints goes to its log.

PASSED=0 FAILED=0 SKIPPED=0
LOGS=target/test-logs

# count <passed> <failed> <skipped>: what the running stage has found; may be called more than once.
count() {
    echo "$1 $2 $3" >>"$LOGS/counts"
}

# note <text>: a line that is shown below the running stage's counts.
note() {
    echo "$1" >>"$LOGS/notes"
}

# stage <name> <function> [argument...]
stage() {
    local name=$1 status=0 passed failed skipped log start=$SECONDS
    shift
    log=$LOGS/$(echo "$name" | tr -c 'A-Za-z0-9.\n' _).log
    echo "== $name"
    : >"$LOGS/counts"
    : >"$LOGS/notes"
    # Not under "if" or "||": there, bash would ignore the errors inside.
    set +e
    (set -e; "$@") >"$log" 2>&1
    status=$?
    set -e
    read -r passed failed skipped < <(awk '{p += $1; f += $2; s += $3} END {print p + 0, f + 0, s + 0}' "$LOGS/counts")
    # A stage that broke, or that counted nothing at all, has not shown that anything works.
    if [ "$failed" = 0 ] && { [ $status != 0 ] || [ $((passed + skipped)) = 0 ]; }; then
        failed=1
    fi
    PASSED=$((PASSED + passed)) FAILED=$((FAILED + failed)) SKIPPED=$((SKIPPED + skipped))
    echo "   $passed passed, $failed failed, $skipped skipped ($((SECONDS - start)) s)"
    sed 's/^/   /' "$LOGS/notes"
    if [ "$failed" != 0 ]; then
        echo "   the end of $log:"
        grep -Ev '^[[:space:]]+at ' "$log" | tail -n 60 | sed 's/^/   | /'
    fi
}

# skip <name> <why>: a stage that this machine can't run, and need not.
skip() {
    echo "== $1"
    echo "   skipped: $2"
    SKIPPED=$((SKIPPED + 1))
}

# Prints the sum of all stages; true if that is a success.
finish() {
    echo
    echo "$PASSED passed, $FAILED failed, $SKIPPED skipped"
    [ "$FAILED" = 0 ] && [ "$PASSED" != 0 ]
}
