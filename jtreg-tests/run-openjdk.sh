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
#
# Exit code: 0 no regression, 1 regressions, 2 not run or nothing proved.
# No file of OpenJDK is copied; test classes and results go to OUT.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)

die() {
    echo "run-openjdk.sh: $*" >&2
    exit 2
}

usage() {
    sed -n '3,/^set/p' "$0" | sed '$d; s/^# \{0,1\}//'
    exit 2
}

# The tests named by the caller; "core" stands for a list.
expand_tests() {
    local test
    for test in "$@"; do
        if [ "$test" = core ]; then
            (cd "$src/test/jdk" && ls -d java/nio/channels/*/ java/nio/channels/*.java) |
                grep -Ev '/(File|Asynchronous)[A-Za-z]*/$'
        else
            [ -e "$src/test/jdk/${test%%#*}" ] || die "no such test: $src/test/jdk/$test"
            echo "$test"
        fi
    done | while read -r test; do
        # A .java file that is no test of its own (a helper) would stop jtreg.
        case $test in
            *.java) grep -q '@test' "$src/test/jdk/$test" || continue ;;
        esac
        echo "$test"
    done
}

# A few tests load a library of their own: each is one C file.
build_native() {
    local c lib
    mkdir -p "$out/native"
    find "$src/test/jdk/java/nio/channels" "$src/test/lib" -name 'lib*.c' | while read -r c; do
        lib=$out/native/$(basename "$c" .c).so
        gcc -w -shared -fPIC -D_GNU_SOURCE -I"$jdk/include" -I"$jdk/include/linux" -I"$src/test/lib/native" \
            -o "$lib" "$c" 2>"$lib.log" || echo "note: $c did not compile, see $lib.log" >&2
    done
}

build_agent() {
    local flags=()
    grep -q can_support_virtual_threads "$jdk/include/jvmti.h" && flags=(-DVIRTUAL_THREADS)
    gcc -std=c11 -D_GNU_SOURCE -Wall -Wextra -Wpedantic -Werror -O1 -shared -fPIC "${flags[@]}" \
        -I"$jdk/include" -I"$jdk/include/linux" -o "$out/opened.so" "$here/openjdk/opened.c"
}

# run NAME [JTREG-OPTION...]: one run over all tests; results in OUT/NAME.
run() {
    local name=$1 dir=$out/$1 code=0 tests
    shift
    mapfile -t tests <"$out/tests"
    if [ "$name" = default ] && cmp -s "$out/wanted" "$dir/complete"; then
        echo "== default: results of an earlier run"
        return
    fi
    rm -rf "$dir"
    mkdir -p "$dir"
    echo "== $name: running, log in $dir/jtreg.log"
    # TEST_VM_FLAGLESS: the options below do not count as flags for @requires vm.flagless.
    TEST_VM_FLAGLESS=true "$jdk/bin/java" -Xmx512m -jar "$jtreg/lib/jtreg.jar" \
        -jdk:"$jdk" -agentvm -automatic -ignore:quiet -k:'!headful' -verbose:summary -retain:fail,error \
        -concurrency:"${JTREG_CONCURRENCY:-$(nproc)}" -timeoutFactor:4 -nativepath:"$out/native" \
        -workDir:"$dir/work" -reportDir:"$dir/report" -dir:"$src/test/jdk" "$@" \
        "${tests[@]}" >"$dir/jtreg.log" 2>&1 || code=$?
    # 0 all passed, 1 nothing selected, 2 some failed, 3 some could not run
    case $code in 0 | 2 | 3) ;; *) tail -5 "$dir/jtreg.log"; die "jtreg ended with $code" ;; esac
    summarise "$dir"
    cp "$out/wanted" "$dir/complete"
}

# One line per test: its name, a tab, and pass or fail (an error is a failure).
summarise() {
    sed -nE 's/^([^ ]+) +(Passed|Failed|Error)\..*/\1\t\2/p' "$1/report/text/summary.txt" |
        sed -e 's/\tPassed$/\tpass/' -e 's/\t[FE][a-z]*$/\tfail/' | LC_ALL=C sort >"$1/results"
    [ -s "$1/results" ] || die "no results in $1"
}

# Selectors opened in all VMs of a run, by provider and class of the selector.
print_opened() {
    local log=$out/$1/opened.log
    touch "$log"
    awk -F'\t' -v run="$1" '
        { count[$2 "\t" $3]++; if (!seen[$1]++) vms++ }
        END {
            printf "%s: %d selectors opened in %d VMs\n", run, NR, vms
            for (i in count) { split(i, part, "\t"); printf "%10d  %s of %s\n", count[i], part[2], part[1] }
        }' "$log"
}

passes() { awk -F'\t' '$2 == "pass" { print $1 }' "$out/$1/results"; }
fails() { awk -F'\t' '$2 == "fail" { print $1 }' "$out/$1/results"; }

# Tests that ProblemList.txt excuses on this release.
excused() {
    sed 's/#.*//' "$here/ProblemList.txt" |
        awk -v v="$release" 'NF { n = split($2, on, ",")
            for (i = 1; i <= n; i++) if (on[i] == v || on[i] == "all") print $1 }' |
        LC_ALL=C sort -u
}

lines() { [ -z "$1" ] || printf '%s\n' "$1"; }

list() {
    local title=$1 lines
    lines=$(cat)
    [ -n "$lines" ] || { echo "$title: none"; return; }
    echo "$title:"
    printf '%s\n' "$lines" | sed 's/^/    /'
}

# compare PROVIDER: the difference between the default run and PROVIDER's.
compare() {
    local name=$1 only_default regressions opened
    only_default=$(comm -12 <(passes default) <(fails "$name"))
    regressions=$(comm -23 <(lines "$only_default") <(excused))
    echo
    echo "== $name against the JDK's default, JDK $release"
    printf '%5d passed %5d failed  %s\n' "$(passes default | wc -l)" "$(fails default | wc -l)" default \
        "$(passes "$name" | wc -l)" "$(fails "$name" | wc -l)" "$name"
    lines "$regressions" | list "Pass with the default and not with $name"
    comm -12 <(fails default) <(passes "$name") | list "Pass with $name and not with the default"
    comm -12 <(lines "$only_default") <(excused) | list "Excused by ProblemList.txt"
    comm -12 <(excused) <(passes "$name") | list "In ProblemList.txt and passing (remove them)"
    print_opened default
    print_opened "$name"
    # Proof: selectors of this provider, of a class that the default run did not open.
    opened=$(awk -F'\t' -v p="$name" 'NR == FNR { other[$3]; next } $2 == p && !($3 in other)' \
        "$out/default/opened.log" "$out/$name/opened.log" | wc -l)
    [ -z "$regressions" ] || regressed=1
    if [ "$opened" -eq 0 ]; then
        echo "NOTHING PROVED: no selector of $name was opened"
        unproved=1
    fi
}

[ $# -ge 2 ] || usage
src=$(cd "$1" && pwd) || die "no source tree $1"
jdk=$(cd "$2" && pwd) || die "no JDK $2"
IFS=, read -r -a providers <<<"${3:-dev.pollux.PolluxSelectorProvider}"
shift $(($# < 3 ? $# : 3))
jtreg=${JTREG_HOME:-/usr/share/jtreg}
[ -f "$src/test/jdk/TEST.ROOT" ] || die "$src has no test/jdk/TEST.ROOT"
[ -f "$jdk/include/jvmti.h" ] || die "$jdk is no JDK with include/jvmti.h"
[ -f "$jtreg/lib/jtreg.jar" ] ||
    die "no jtreg in $jtreg: install Debian's jtreg7 (JDK 17) or jtreg8 (JDK 25), or set JTREG_HOME"
command -v gcc >/dev/null || die "needs gcc"
release=$(sed -nE 's/^JAVA_VERSION="([0-9]+).*/\1/p' "$jdk/release")
jar=${POLLUX_JAR:-$(find "$here/../target" -maxdepth 1 -name 'pollux-*[0-9].jar' 2>/dev/null | head -1)}
[ -f "$jar" ] || die "no pollux jar: run mvn -q -DskipTests package, or set POLLUX_JAR"
out=${OUT:-$(mktemp -d)}
mkdir -p "$out"
out=$(cd "$out" && pwd)
cp "$jar" "$out/pollux.jar"  # a path of ours: options are handed on to child VMs, and spaces would end them
jar=$out/pollux.jar

[ $# -gt 0 ] || set -- java/nio/channels
expand_tests "$@" >"$out/tests"
[ -s "$out/tests" ] || die "no tests"
{ echo "$src"; cat "$jdk/release" "$out/tests"; } >"$out/wanted"  # what a baseline is the baseline of
build_native
build_agent
regressed=0
unproved=0
run default -javaoption:-agentpath:"$out/opened.so=$out/default/opened.log"
for provider in "${providers[@]}"; do
    run "$provider" -javaoption:-agentpath:"$out/opened.so=$out/$provider/opened.log,$jar" \
        -javaoption:-Djava.nio.channels.spi.SelectorProvider="$provider"
    compare "$provider"
done
[ "$unproved" -eq 0 ] || exit 2
exit "$regressed"
