#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# What a recording of JFR costs a selection, on the JDK and on Pollux: see README.md here.
#
#   micro/recording.sh [--rounds N] [--jdk DIR] [--no-build]
set -euo pipefail
. "$(dirname "$0")/common.sh"
rounds=10
case ${1:-} in
    --rounds) rounds=$2 ;;
    ?*) sed -n 's/^# \{0,1\}//; 3,5p' "$0" >&2; exit 2 ;;
esac

work=$micro/target/recording
rm -rf "$work" && mkdir -p "$work"
javac -source 17 -target 17 -Xlint:-options -d "$work" "$micro/recording/Selections.java"

# Appends what a selection and a wakeup take to the side's file: selections <jdk|pollux> <off|on>
selections() {
    local options=(--enable-native-access=ALL-UNNAMED)
    [ "$1" = jdk ] || options+=(-Djava.nio.channels.spi.SelectorProvider=dev.pollux.EPollSelectorProvider)
    [ "$2" = off ] || options+=("-XX:StartFlightRecording:settings=default,disk=false,dumponexit=false")
    "$java" "${options[@]}" -cp "$work:$micro/target/pollux.jar" Selections 2>>"$work/warnings" |
        tail -n 1 >>"$work/$1-$2"
}

# Median and extremes of the numbers on standard input
spread() {
    sort -n | awk '{ n[NR] = $1 }
        END { printf "%.4g [%.4g..%.4g]", n[int((NR + 1) / 2)], n[1], n[NR] }'
}

# Pairs are neighbours in time: ratio <side> <column>
ratio() {
    paste -d ' ' "$work/$1-on" "$work/$1-off" | awk -v c="$2" '{ print $c / $(c + 2) }' | spread
}

for _ in $(seq "$rounds"); do
    for side in jdk pollux; do
        selections $side off
        selections $side on
    done
done
echo "| selector | a selection, ns | with a recording | a woken selection, ns | with a recording |"
echo "|---|---|---|---|---|"
for side in jdk pollux; do
    echo "| $side | $(awk '{ print $1 }' "$work/$side-off" | spread) | $(ratio $side 1)" \
        "| $(awk '{ print $2 }' "$work/$side-off" | spread) | $(ratio $side 2) |"
done
