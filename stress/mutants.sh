#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Shows that each test fails when what it is for is broken: changes a line in a copy of one class, compiles that, and
# runs the test with it. run.sh must have built before. Names of mutants as arguments choose some of them.
# The last line is "N passed, N failed": a mutant that its test does not find has failed.
# shellcheck disable=SC2016 # $1 and $2 are Perl's
set -euo pipefail
stress=$(cd "$(dirname "$0")" && pwd)
sources=$(dirname "$stress")/src/main/java
javac=${JAVA_HOME:+$JAVA_HOME/bin/}javac
selector=dev/pollux/internal/selector
poller=dev/pollux/internal/poller
chosen=("$@")
passed=0 failed=0

# is_chosen <name>
is_chosen() {
    local name
    [ ${#chosen[@]} != 0 ] || return 0
    for name in "${chosen[@]}"; do
        [ "$name" != "$1" ] || return 0
    done
    return 1
}

# mutant <name> <test> <class> <Perl expression that changes the class>
mutant() {
    local name=$1 test=$2 class=$3 expression=$4 dir=$stress/target/mutants/$1
    is_chosen "$name" || return 0
    rm -rf "$dir"
    mkdir -p "$dir/classes" "$dir/src"
    perl -0777 -pe "$expression" "$sources/$class.java" >"$dir/src/${class##*/}.java"
    if cmp -s "$dir/src/${class##*/}.java" "$sources/$class.java"; then
        echo "$name: the expression changes nothing"
        failed=$((failed + 1))
        return
    fi
    "$javac" -nowarn -XDignore.symbol.file --add-exports java.base/sun.nio.ch=ALL-UNNAMED -proc:none \
        -cp "$stress/target/pollux.jar" -d "$dir/classes" "$dir/src/${class##*/}.java"
    "$stress/run.sh" short --no-build --first "$dir/classes" --time 2000 -t "\\.$test\$" >"$dir/output" 2>&1 || true
    # Found is what jcstress counts as failed, by a forbidden result. That it broke for another reason is not enough.
    if grep -qE '^\(Results: .*[1-9][0-9]* failed' "$dir/output"; then
        echo "$name: $test fails"
        passed=$((passed + 1))
    else
        echo "$name: $test does NOT fail; see $dir/output"
        failed=$((failed + 1))
    fi
}

mutant flag-cleared-late QueuedKeyChanges $selector/UpdateQueue \
    's/(\n *SelectionKeyFields.lastPolledVolatile\(key, 0\);)(\n *action.accept\(key\);)/$2$1/'
mutant flag-cleared-without-fence QueuedKeyChanges dev/pollux/internal/jdk/SelectionKeyFields \
    's/LAST_POLLED.setVolatile/LAST_POLLED.setRelease/'
mutant flag-not-checked-again TwoThreadsQueueOneKey $selector/UpdateQueue \
    's/(synchronized \(this\) \{\n *if \()(Sel)/$1false && $2/'
mutant queue-without-lock TwoThreadsQueueTwoKeys $selector/UpdateQueue \
    's/synchronized \(this\) (\{\n *if)/$1/'
mutant flag-set-early ChangeBeforeSelection $selector/UpdateQueue \
    's/(            int n = size;)(.*?)(\n *SelectionKeyFields.lastPolledVolatile\(key, QUEUED\);)/$3\n$1$2/s'
mutant reset-cleared-without-fence ResetOfSocket dev/pollux/internal/jdk/SelectionKeyFields \
    's/RESET.setVolatile/RESET.setRelease/'
mutant cancelled-raised-early CancelDuringSelection $selector/PolluxSelector \
    's/(\n *super.cancel\(key\);)(\n *cancelled = true;)/$2$1/'
mutant cancelled-lowered-late CancelDuringSelection $selector/PolluxSelector \
    's/\n *cancelled = false;(.*?\n *if \(!done\) \{\n *cancelled = true;\n *\})/$1 else { cancelled = false; }/s'
mutant interest-read-before-flag InterestDuringSelection $selector/UpdateQueue \
    's/(\n *SelectionKeyFields.lastPolledVolatile\(key, 0\);)(\n *action.accept\(key\);)/$2$1/'
mutant waker-clears-blocked WakersOfWait $selector/WakeupGate \
    's/getAndBitwiseOr\(this, WOKEN\)/getAndSet(this, WOKEN)/'
mutant waits-not-counted WakerOfEarlierWait $selector/WakeupGate \
    's/\(before \| BLOCKED\) \+ NEXT/before | BLOCKED/'
mutant signalled-without-comparing WakerOfEarlierWait $selector/WakeupGate \
    's/STATE.compareAndSet\(this, ticket, ticket & ~BLOCKED\)/STATE.getAndBitwiseAnd(this, ~BLOCKED)/'
mutant enter-without-comparing WakeupOfWait $selector/WakeupGate \
    's/STATE.compareAndSet\(this, before, (.*?\))( \+ NEXT)?\);/(int) STATE.getAndSet(this, $1$2) >= 0;/'
mutant leave-without-exchange WakeupOfLeave $selector/WakeupGate \
    's/return (.*)\(int\) STATE.getAndBitwiseAnd.this, -NEXT./int old = state; state = old & -NEXT; return $1old/'
mutant wakeup-of-woken-skipped WakeupOfWoken $selector/WakeupGate \
    's/(int wake\(\) \{)/$1 if (isWoken()) { return 0; }/'
mutant blocked-though-woken WakeupOfSelection dev/pollux/internal/pollset/WaitStrategy \
    's/hasBlocked \? nanos : 0/nanos/'
mutant enter-without-fence InterruptOfWait $selector/WakeupGate \
    's/STATE.compareAndSet\(this, before, (\(before \| BLOCKED\) \+ NEXT)\)/enterPlainly($1)/; \
        s/(final boolean isBlocked)/boolean enterPlainly(int next) { STATE.setRelease(this, next); return true; } $1/'
mutant interrupt-wakes InterruptOfWait $selector/WakeupGate \
    's/return \(state & BLOCKED\) != 0;/return wake() != 0;/'
mutant wakeup-without-lock WakeupOfClosed dev/pollux/internal/pollset/PollSet \
    's/(public void wakeup\(\) \{\n *)synchronized \(wakeupLock\)/$1/'
mutant one-shot-stays-enabled OneShotMembers $poller/ReadyQueue \
    's/member.disabled \|= disables;//'
mutant fetched-overwritten OneShotMembers $poller/Turns \
    's/(ready.take\(awaiter, followers.count\(\)\);\n *awaiter.round)/if (count != NOT_LEADING) $1/'
mutant follower-not-woken WaitingThreads $poller/Turns \
    's/(boolean done = )[^;]*;/$1true;/'
mutant change-without-call ChangeDuringAwait $poller/MemberChanges \
    's/(registrations.postpone\(member\);)\n *leadership.wakeLeader\(\);/$1/'
mutant wakeup-without-call WakeupOfAwait $poller/Turns \
    's/(woken = true;)\n *leadership.wakeLeader\(\);/$1/'

echo
echo "$passed passed, $failed failed"
[ $failed = 0 ]
