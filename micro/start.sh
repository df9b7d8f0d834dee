#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# What the first selector of a VM costs, on the JDK and on Pollux: see README.md here.
#
#   micro/start.sh [--rounds N] [--jdk DIR]... [--archive] [--no-build]
set -euo pipefail
micro=$(cd "$(dirname "$0")" && pwd)
rounds=20
jdks=()
archive=no
build=yes
while [ $# -gt 0 ]; do
    case $1 in
        --rounds) rounds=$2; shift ;;
        --jdk) jdks+=("$2"); shift ;;
        --archive) archive=yes ;;
        --no-build) build=no ;;
        *) sed -n 's/^# \{0,1\}//; 3,5p' "$0" >&2; exit 2 ;;
    esac
    shift
done
[ ${#jdks[@]} -gt 0 ] || jdks=("$(dirname "$(dirname "$(realpath "$(command -v java)")")")")

[ $build = no ] || "$micro/build.sh"
work=$micro/target/start
rm -rf "$work"
mkdir -p "$work"
javac -source 17 -target 17 -Xlint:-options -d "$work/classes" "$micro/start/FirstOpen.java"
# Jars only: an archive of classes does not take folders.
jar --create --file "$work/first.jar" -C "$work/classes" .
cp "$micro/target/pollux.jar" "$work/pollux.jar"

# Runs the program once: first_open <java> <jdk|pollux> [option...]
first_open() {
    local java=$1 side=$2
    shift 2
    [ "$side" = jdk ] || set -- "$@" -Djava.nio.channels.spi.SelectorProvider=dev.pollux.EPollSelectorProvider
    "$java" "$@" -cp "$work/first.jar:$work/pollux.jar" FirstOpen 2>>"$work/warnings"
}

# Makes the side's archive and leaves the option that uses it in $option: archive_of <java> <version> <side>
archive_of() {
    local file=$work/$2-$3
    if [ "$2" -ge 25 ]; then
        first_open "$1" "$3" "${native[@]}" "-XX:AOTCacheOutput=$file.aot" >"$file.log" 2>&1
        option=-XX:AOTCache=$file.aot
    else
        first_open "$1" "$3" "${native[@]}" "-XX:ArchiveClassesAtExit=$file.jsa" >"$file.log" 2>&1
        option=-XX:SharedArchiveFile=$file.jsa
    fi
}

# The median and the extremes of a column of numbers, in milliseconds: spread <file> <column> <units in a millisecond>
spread() {
    awk -v c="$2" '{ print $c }' "$1" | sort -n | awk -v unit="$3" '{ n[NR] = $1 / unit }
        END { printf "%.0f (%.0f–%.0f)", n[int((NR + 1) / 2)], n[1], n[NR] }'
}

# How much greater the median of the second file's column is: difference <file> <file> <column>, in nanoseconds
difference() {
    echo $((($(median "$2" "$3") - $(median "$1" "$3")) / 1000000))
}

median() {
    awk -v c="$2" '{ print $c }' "$1" | sort -n | awk '{ n[NR] = $1 } END { printf "%.0f", n[int((NR + 1) / 2)] }'
}

echo "| JDK | selector of | first open | of that, running | whole process | its processor time | classes |" \
    "not from an archive |"
echo "|---|---|---|---|---|---|---|---|"
TIMEFORMAT='%R %U %S'
for home in "${jdks[@]}"; do
    java=$home/bin/java
    version=$("$java" -XshowSettings:properties -version 2>&1 | sed -n 's/ *java.specification.version = //p')
    native=(--enable-native-access=ALL-UNNAMED)
    declare -A options=([jdk]="" [pollux]="")
    for side in jdk pollux; do
        if [ $archive = yes ]; then
            archive_of "$java" "$version" $side
            options[$side]=$option
        fi
    done
    for _ in $(seq "$rounds"); do
        for side in jdk pollux; do
            # shellcheck disable=SC2086 # one option or none
            { time first_open "$java" $side "${native[@]}" ${options[$side]} >>"$work/$version-$side.open"; } \
                2>>"$work/$version-$side.process"
        done
    done
    for side in jdk pollux; do
        # shellcheck disable=SC2086
        first_open "$java" $side "${native[@]}" ${options[$side]} \
            "-Xlog:class+load:file=$work/$version-$side.classes:none" >/dev/null
        awk '{ print ($2 + $3) * 1000 }' "$work/$version-$side.process" >"$work/$version-$side.processor"
        file=$work/$version-$side
        echo "| $version | $side | $(spread "$file.open" 1 1e6) | $(spread "$file.open" 2 1e6)" \
            "| $(spread "$file.process" 1 0.001) | $(spread "$file.processor" 1 1)" \
            "| $(wc -l <"$file.classes") | $(grep -vc 'shared objects' "$file.classes") |"
    done
    files=("$work/$version-jdk.open" "$work/$version-pollux.open")
    echo "JDK $version: Pollux takes $(difference "${files[@]}" 1) ms more," \
        "and runs $(difference "${files[@]}" 2) ms more" >>"$work/differences"
done
echo
cat "$work/differences"
