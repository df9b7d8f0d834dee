#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Measures unmodified servers on the JDK's selectors and on Pollux: see apps/README.md.
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
            [ $# -gt 1 ] || { echo 'apps.sh: --jdk needs a directory' >&2; exit 2; }
            java=$2/bin/java
            shift ;;
        --no-build) build=no ;;
        *) arguments="$arguments '$(printf %s "$1" | sed "s/'/'\\\\''/g")'" ;;
    esac
    shift
done

strace -o /dev/null true || { echo 'apps.sh: needs strace, and a system that permits it' >&2; exit 1; }
if [ $build = yes ]; then
    (cd "$root" && mvn -q -B -DskipTests package)
    (cd "$micro/apps" && mvn -q -B process-classes)
fi

. "$micro/classpath.sh"
# A copy, so that a build in the meantime changes nothing.
cp "$pollux" "$micro/apps/target/pollux.jar"
eval "set -- $arguments"
exec "$java" -cp "$micro/apps/target/classes:$micro/apps/target/lib/*" dev.pollux.micro.apps.Main \
    "$micro/apps/target/pollux.jar" "$micro/results/apps-$(date -u +%Y%m%dT%H%M%SZ).json" "$micro/apps/target/logs" "$@"
