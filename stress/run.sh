#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Builds Pollux and its concurrency tests, and runs them: see README.md here.
#   run.sh [short|long] [--jdk DIR] [--no-build] [--first CLASSES] [--time MS] [jcstress option...]
# The last line is "N passed, N failed, N skipped", one for each test and set of options of the virtual machine.
set -euo pipefail
stress=$(cd "$(dirname "$0")" && pwd)
root=$(dirname "$stress")
java=${JAVA_HOME:+$JAVA_HOME/bin/}java
mode=long build=yes first='' time=250

while [ $# -gt 0 ]; do
    case $1 in
        short | long) mode=$1 ;;
        --jdk) java=${2:?}/bin/java; shift ;;
        --no-build) build=no ;;
        --first) first=${2:?}:; shift ;; # for mutants.sh: classes that go before Pollux's own
        --time) time=${2:?}; shift ;; # of each test in the short mode
        *) break ;;
    esac
    shift
done

if [ $build = yes ]; then
    mvn -q -B -f "$root/build/pom.xml" -pl ../stress -am -DskipTests -Dmaven.javadoc.skip=true package
fi

# The strides are short: a state may hold four descriptors.
options=(-strideSize 128 -strideCount 8)
if [ "$mode" = short ]; then
    # Options of our own keep jcstress from trying each test with the interpreter and each compiler.
    options+=(-jvmArgs -Dshort=true -f 1 -fsm 1 -iters 1 -time "$time" -sc false -pth false)
fi

# jcstress leaves its results where it runs.
cd "$stress/target"
status=0
"$java" --add-opens=java.base/sun.nio.ch=ALL-UNNAMED -cp "${first}classes:lib/*" \
    org.openjdk.jcstress.Main -r report "${options[@]}" "$@" 2>&1 | tee output || status=$?
# The last such line: (Results: 10 planned; 9 passed, 1 failed, 0 soft errs, 0 hard errs)
read -r planned passed failed < <(grep '^(Results: ' output | tail -n 1 | tr -dc '0-9 \n' |
    awk '{ print $1, $2, $3 + $4 + $5 }') || true
echo
echo "${passed:-0} passed, ${failed:-1} failed, $((${planned:-1} - ${passed:-0} - ${failed:-1})) skipped"
[ $status = 0 ] && [ "${failed:-1}" = 0 ]
