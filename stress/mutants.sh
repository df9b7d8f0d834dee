#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Shows that each test fails when what it is for is broken: changes one line of a copy of Pollux's sources, compiles that
# class, and runs the test with it. run.sh must have built. Names of mutants as arguments choose some of them.
# The last line is "N passed, N failed": a mutant that its test does not find has failed.
set -euo pipefail
stress=$(cd "$(dirname "$0")" && pwd)
sources=$(dirname "$stress")/src/main/java
javac=${JAVA_HOME:+$JAVA_HOME/bin/}javac
selector=dev/pollux/internal/selector
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
    # Found is what jcstress counts as failed. That it broke for another reason is not enough.
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

echo
echo "$passed passed, $failed failed"
[ $failed = 0 ]
