# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Sourced by test.sh and scripts below src/test: runs stages, keeps their output in $LOGS and adds up their counts. A
# stage is a function. It reports its counts with "count"; what it prints goes to its log.
#
#   stage <name> <function> [argument...]   runs a stage now
#   queue <name> <function> [argument...]   leaves it to run_queue
#   run_queue <lanes>                       runs what is queued, that many stages at a time, the first queued first
#
# "skipped_because <why>" is the function of a stage that this machine can't run, and need not.

PASSED=0 FAILED=0 SKIPPED=0
LOGS=target/test-logs
QUEUED_NAMES=() QUEUED_CALLS=() QUEUED_PIDS=()

# count <passed> <failed> <skipped>: what the running stage has found; may be called more than once.
count() {
    echo "$1 $2 $3" >>"$RECORD.counts"
}

# check <sentence> <command> [argument...]: one test of the running stage; what it prints is shown if it fails.
check() {
    if "${@:2}" >"$RECORD.out" 2>&1; then
        echo "ok: $1"
        count 1 0 0
    else
        echo "WRONG: $1"
        cat "$RECORD.out"
        count 0 1 0
    fi
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

stage() {
    echo "== $1"
    perform "$(record "$1")" "${@:2}"
    report "$1"
}

queue() {
    QUEUED_NAMES+=("$1")
    QUEUED_CALLS+=("$(printf '%q ' "${@:2}")")
}

skipped_because() {
    echo "skipped: $1" >>"$RECORD.notes" # which is shown below the counts
    count 0 0 1
}

# Stages end in any order; they are shown in the order of the queue.
run_queue() {
    local all=${#QUEUED_NAMES[@]} begun=0 shown=0 running=0
    local name
    for name in "${QUEUED_NAMES[@]}"; do
        rm -f "$(record "$name").end"
    done
    trap stop_queue EXIT
    trap 'exit 130' INT TERM
    while [ $shown -lt "$all" ]; do
        while [ $running -lt "$1" ] && [ $begun -lt "$all" ]; do
            set -m # the stage is a process group, so that it can be ended with everything that it has started
            eval "perform '$(record "${QUEUED_NAMES[begun]}")' ${QUEUED_CALLS[begun]}" </dev/null &
            QUEUED_PIDS+=($!)
            set +m
            begun=$((begun + 1)) running=$((running + 1))
        done
        wait -n || true
        running=$((running - 1))
        while [ $shown -lt "$all" ] && { [ -f "$(record "${QUEUED_NAMES[shown]}").end" ] ||
            [ $((begun - running)) = "$all" ]; }; do
            echo "== ${QUEUED_NAMES[shown]}"
            report "${QUEUED_NAMES[shown]}"
            shown=$((shown + 1))
        done
    done
    trap - EXIT INT TERM
    QUEUED_NAMES=() QUEUED_CALLS=() QUEUED_PIDS=()
}

stop_queue() {
    local pid
    for pid in "${QUEUED_PIDS[@]}"; do
        kill -- "-$pid" 2>/dev/null || true
    done
}

# The files of a stage, without their suffixes.
record() {
    echo "$LOGS/$(echo "$1" | tr -c 'A-Za-z0-9.\n' _)"
}

# perform <record> <function> [argument...]: runs a stage. Its files are .log, .counts, .notes, and when it is through
# .end: the exit status, seconds, and seconds of processor time.
perform() {
    local RECORD=$1 TIMEFORMAT='%0R %0U %0S' status=0
    shift
    : >"$RECORD.counts"
    : >"$RECORD.notes"
    # Not under "if" or "||": there, bash would ignore the errors inside.
    set +e
    { time { (set -e; "$@") >"$RECORD.log" 2>&1; }; } 2>"$RECORD.times"
    status=$?
    set -e
    # bash may have said before that the stage was killed.
    tail -n 1 "$RECORD.times" | awk -v status=$status '{ print status, $1, $2 + $3 }' >"$RECORD.new"
    mv "$RECORD.new" "$RECORD.end"
    rm "$RECORD.times"
}

# report <name>: shows what a stage has left, and adds it up.
report() {
    local record status seconds busy passed failed skipped
    record=$(record "$1")
    # One that was killed has left no end.
    read -r status seconds busy < <(cat "$record.end" 2>/dev/null || echo 1 0 0)
    read -r passed failed skipped < <(awk '{ p += $1; f += $2; s += $3 } END { print p + 0, f + 0, s + 0 }' \
        "$record.counts")
    # A stage that broke, or that counted nothing at all, has not shown that anything works.
    if [ "$failed" = 0 ] && { [ "$status" != 0 ] || [ $((passed + skipped)) = 0 ]; }; then
        failed=1
    fi
    PASSED=$((PASSED + passed)) FAILED=$((FAILED + failed)) SKIPPED=$((SKIPPED + skipped))
    echo "   $passed passed, $failed failed, $skipped skipped ($seconds s, $busy s of processor time)"
    sed 's/^/   /' "$record.notes"
    if [ "$failed" != 0 ]; then
        # The log's end need not say which test it was: the others went on.
        {
            grep -E '\[ +(ERROR|LINE|FAILED) +\] [^0-9]|<<< (FAILURE|ERROR)!$|WRONG' "$record.log" || true
            sed -n '/^Failures ([0-9]*):$/,/^Test run finished/{/^Test run finished/!p}' "$record.log" # JUnit's
        } | head -n 60 | sed 's/^/   ! /'
        echo "   the end of $record.log:"
        { grep -Ev '^[[:space:]]+at ' "$record.log" || true; } | tail -n 60 | sed 's/^/   | /'
    fi
}

# Prints the sum of all stages; true if that is a success.
finish() {
    echo
    echo "$PASSED passed, $FAILED failed, $SKIPPED skipped"
    [ "$FAILED" = 0 ] && [ "$PASSED" != 0 ]
}
