#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Has the kernel refuse the registration of one connection in a hundred to five servers that nobody has changed: does
# everybody else get served, what becomes of the refused one? Linux only; the servers come from micro.
#   src/test/faults/run.sh [provider class | jdk] [server,...] [error,...]
# The last line is "N passed, N failed, N skipped".
set -euo pipefail
cd "$(dirname "$0")/../../.."

. .ci/setup.sh
need javac mvn cc strace

provider=${1:-dev.pollux.EPollSelectorProvider}
servers=${2:-httpserver,netty,jetty,tomcat,undertow}
errors=${3:-ENOSPC,ENOMEM,EPERM}
out=$PWD/target/faults
mkdir -p "$out/classes"

micro/build.sh
cp micro/target/pollux/pollux.jar "$out/pollux.jar" # a build in the meantime changes nothing
cc -std=c11 -D_GNU_SOURCE -O2 -Wall -Wextra -Wpedantic -Werror -o "$out/refuse" src/test/faults/refuse.c
javac --release 17 -Xlint:all -Werror -cp micro/target/classes -d "$out/classes" src/test/faults/*.java

"$JAVA_HOME/bin/java" -Dserver.path="micro/target/classes:micro/target/lib/*:$out/pollux.jar" \
    -cp "$out/classes:micro/target/classes" Faults "$out" "$provider" "$servers" "$errors"
