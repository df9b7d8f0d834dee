#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds Pollux, the benchmarks and the C floor, compares providers, prints a table and draws plots:
# see README.md here.
set -eu
micro=$(cd "$(dirname "$0")" && pwd)

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
    report "$(dirname "$micro")/docs" "$@"
    exit
fi

. "$micro/common.sh"
[ $help = yes ] || prepare_matplotlib
[ $build = no ] ||
    "${CC:-gcc}" -std=c11 -O2 -Wall -Wextra -Wpedantic -Werror -pthread -o "$micro/target/floor" "$micro/floor.c"
figures=$micro/results/$(date -u +%Y%m%dT%H%M%SZ)
mkdir -p "$micro/results"
# JMH 1.37 uses what newer JDKs warn of.
quiet=--sun-misc-unsafe-memory-access=allow
"$java" $quiet -version >/dev/null 2>&1 || quiet=''
"$java" $quiet --add-exports java.base/sun.nio.ch=ALL-UNNAMED -cp "$class_path" dev.pollux.micro.run.Main \
    "$micro/target/floor" "$figures.json" "$@"
[ $help = no ] || exit 0
report "$figures" "$figures.json"
echo "figures: $figures.json"
