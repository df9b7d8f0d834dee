#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# What the first selector of a VM and its first connection cost, on the JDK and on Pollux: see README.md here.
#
#   micro/start.sh [--rounds N] [--jdk DIR] [--archive] [--no-build]
set -euo pipefail
. "$(dirname "$0")/common.sh"
rounds=20 archive=no
while [ $# -gt 0 ]; do
    case $1 in
        --rounds) rounds=$2; shift ;;
        --archive) archive=yes ;;
        *) sed -n 's/^# \{0,1\}//; 3,5p' "$0" >&2; exit 2 ;;
    esac
    shift
done

work=$micro/target/start
rm -rf "$work" && mkdir -p "$work"
javac -source 17 -target 17 -Xlint:-options -d "$work/classes" \
    "$root/src/test/java/dev/pollux/loading/program/FirstConnection.java"
# Jars only: an archive of classes does not take folders.
jar --create --file "$work/first.jar" -C "$work/classes" .
cp "$micro/target/pollux.jar" "$work/pollux.jar"

version=$("$java" -XshowSettings:properties -version 2>&1 | sed -n 's/ *java.specification.version = //p')

# Runs the program once: first_connection <jdk|pollux> [option...]
first_connection() {
    local side=$1
    shift
    [ "$side" = jdk ] || set -- "$@" -Djava.nio.channels.spi.SelectorProvider=dev.pollux.EPollSelectorProvider
    "$java" --enable-native-access=ALL-UNNAMED "$@" -cp "$work/first.jar:$work/pollux.jar" \
        dev.pollux.loading.program.FirstConnection 2>>"$work/warnings"
}

# Makes the side's archive and prints the option that uses it.
archive_of() {
    if [ "$version" -ge 25 ]; then
        first_connection "$1" "-XX:AOTCacheOutput=$work/$1.aot" >"$work/$1.log" 2>&1
        echo "-XX:AOTCache=$work/$1.aot"
    else
        first_connection "$1" "-XX:ArchiveClassesAtExit=$work/$1.jsa" >"$work/$1.log" 2>&1
        echo "-XX:SharedArchiveFile=$work/$1.jsa"
    fi
}

# The median and the extremes of a column of numbers, in milliseconds: spread <file> <column> <units in a millisecond>
spread() {
    awk -v c="$2" '{ print $c }' "$1" | sort -n | awk -v unit="$3" '{ n[NR] = $1 / unit }
        END { printf "%.0f (%.0f–%.0f)", n[int((NR + 1) / 2)], n[1], n[NR] }'
}

echo "| JDK | selector of | first open | first answer | of that, running | whole process | its processor time |" \
    "classes | not from an archive |"
echo "|---|---|---|---|---|---|---|---|---|"
TIMEFORMAT='%R %U %S'
declare -A options=([jdk]=-Dnone [pollux]=-Dnone)
for side in jdk pollux; do
    [ $archive = no ] || options[$side]=$(archive_of $side)
done
for _ in $(seq "$rounds"); do
    for side in jdk pollux; do
        { time first_connection $side "${options[$side]}" >>"$work/$side.open"; } 2>>"$work/$side.process"
    done
done
for side in jdk pollux; do
    file=$work/$side
    first_connection $side "${options[$side]}" "-Xlog:class+load:file=$file.classes:none" >/dev/null
    awk '{ print ($2 + $3) * 1000 }' "$file.process" >"$file.processor"
    echo "| $version | $side | $(spread "$file.open" 1 1e6) | $(spread "$file.open" 2 1e6)" \
        "| $(spread "$file.open" 3 1e6) | $(spread "$file.process" 1 0.001) | $(spread "$file.processor" 1 1)" \
        "| $(wc -l <"$file.classes") | $(grep -vc 'shared objects' "$file.classes") |"
done
