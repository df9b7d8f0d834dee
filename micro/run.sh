#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds Pollux, the benchmarks and the C floor, compares providers, prints a table and draws plots:
# see README.md here.
set -eu
micro=$(cd "$(dirname "$0")" && pwd)
root=$(dirname "$micro")
java=java
build=yes
arguments=''

. "$micro/matplotlib.sh"

# report FOLDER FILE...: the table on standard output, the plots in the folder
report() {
    folder=$1
    shift
    "$python" -B "$micro/report/table.py" "$@"
    "$python" -B "$micro/report/plots.py" "$folder" "$@"
}

if [ "${1:-}" = --plot ]; then
    shift
    [ $# -gt 0 ] || { echo 'run.sh: --plot needs files that an earlier run wrote' >&2; exit 2; }
    prepare_matplotlib
    report "$root/docs" "$@"
    exit
fi

# Our own options go, the rest is passed on, each word quoted.
while [ $# -gt 0 ]; do
    case $1 in
        --jdk)
            [ $# -gt 1 ] || { echo 'run.sh: --jdk needs a directory' >&2; exit 2; }
            java=$2/bin/java
            shift ;;
        --no-build) build=no ;;
        *) arguments="$arguments '$(printf %s "$1" | sed "s/'/'\\\\''/g")'" ;;
    esac
    shift
done

prepare_matplotlib
if [ $build = yes ]; then
    (cd "$root" && mvn -q -B -DskipTests package)
    (cd "$micro" && mvn -q -B package)
    "${CC:-gcc}" -std=c11 -O2 -Wall -Wextra -Wpedantic -Werror -pthread -o "$micro/target/floor" "$micro/floor.c"
fi

. "$micro/classpath.sh"
figures=$micro/results/$(date -u +%Y%m%dT%H%M%SZ)
mkdir -p "$micro/results"
eval "set -- $arguments"
# JMH 1.37 uses what newer JDKs warn of.
quiet=--sun-misc-unsafe-memory-access=allow
"$java" $quiet -version >/dev/null 2>&1 || quiet=''
"$java" $quiet --add-exports java.base/sun.nio.ch=ALL-UNNAMED -cp "$class_path" dev.pollux.micro.run.Main \
    "$micro/target/floor" "$figures.json" "$@"
report "$figures" "$figures.json"
echo "figures: $figures.json"
