#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds Pollux, the benchmarks and the C floor, and compares providers: see README.md here.
set -eu
micro=$(cd "$(dirname "$0")" && pwd)
root=$(dirname "$micro")
java=java
build=yes
arguments=''

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

if [ $build = yes ]; then
    (cd "$root" && mvn -q -B -DskipTests package)
    (cd "$micro" && mvn -q -B package)
    "${CC:-gcc}" -std=c11 -O2 -Wall -Wextra -Wpedantic -Werror -pthread -o "$micro/target/floor" "$micro/floor.c"
fi

. "$micro/classpath.sh"
mkdir -p "$micro/results"
eval "set -- $arguments"
# JMH 1.37 uses what newer JDKs warn of.
quiet=--sun-misc-unsafe-memory-access=allow
"$java" $quiet -version >/dev/null 2>&1 || quiet=''
exec "$java" $quiet --add-exports java.base/sun.nio.ch=ALL-UNNAMED -cp "$class_path" dev.pollux.micro.run.Main \
    "$micro/target/floor" "$micro/results/$(date -u +%Y%m%dT%H%M%SZ).json" "$@"
