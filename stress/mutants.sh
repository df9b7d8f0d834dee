#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Shows that each test fails when what it is for is broken: changes a line in a copy of one class, compiles that, and
# runs the test with it. run.sh must have built before. mutants.txt has all mutants; names as arguments choose some.
# The last line is "N passed, N failed": a mutant that its test does not find has failed.
set -euo pipefail
stress=$(cd "$(dirname "$0")" && pwd)
sources=$(dirname "$stress")/src/main/java
javac=${JAVA_HOME:+$JAVA_HOME/bin/}javac
chosen=("$@")
passed=0 failed=0

# mutant <name> <test> <class> <Perl expression that changes the class>
mutant() {
    local name=$1 test=$2 class=$3 expression=$4 dir=$stress/target/mutants/$1
    [[ ${#chosen[@]} = 0 || " ${chosen[*]} " = *" $name "* ]] || return 0
    rm -rf "$dir"
    mkdir -p "$dir/classes" "$dir/src"
    perl -0777 -pe "$expression" "$sources/$class.java" >"$dir/src/${class##*/}.java"
    if cmp -s "$dir/src/${class##*/}.java" "$sources/$class.java"; then
        echo "$name: the expression changes nothing"
        failed=$((failed + 1))
        return
    fi
    "$javac" -nowarn -XDignore.symbol.file --add-exports java.base/sun.nio.ch=ALL-UNNAMED -proc:none \
        -cp "$stress/target/lib/*" -d "$dir/classes" "$dir/src/${class##*/}.java"
    "$stress/run.sh" short --no-build --first "$dir/classes" --time 2000 -t "\\.$test\$" </dev/null \
        >"$dir/output" 2>&1 || true
    # Found is what jcstress counts as failed, by a forbidden result. That it broke for another reason is not enough.
    if grep -qE '^\(Results: .*[1-9][0-9]* failed' "$dir/output"; then
        echo "$name: $test fails"
        passed=$((passed + 1))
    else
        echo "$name: $test does NOT fail; see $dir/output"
        failed=$((failed + 1))
    fi
}

name=''
while read -r line; do
    case $line in
        '' | '#'*) ;;
        s/*) expression="$expression $line" ;;
        *)
            [ -z "$name" ] || mutant "$name" "$test" "$class" "$expression"
            read -r name test class <<<"$line"
            expression=''
            ;;
    esac
done < <(cat "$stress/mutants.txt" && echo end)

echo
echo "$passed passed, $failed failed"
[ $failed = 0 ]
