#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Runs unmodified NIO servers on the JDK and on Pollux, and prints the comparison: first what Netty gains, then what
# else differs. Installs what it needs if it may (Debian packages), else names it. Takes four minutes after the build.
set -euo pipefail
cd "$(dirname "$0")"

. .ci/setup.sh
need javac mvn cc make strace

echo "== building Pollux and the demo (the first time, Maven downloads its plugins and the servers)"
echo "== then Netty in turns: on the JDK (jdk), on Pollux's selectors (off), with covered calls where they pay (auto)"
CC=cc micro/calls.sh --jdk "$JAVA_HOME" --servers netty --connections 64 --modes full --sets 2 --rounds 3
echo "== unmodified servers and a faulty one"
exec "$JAVA_HOME/bin/java" -cp "$PWD/micro/target/classes:$PWD/micro/target/lib/*" dev.pollux.micro.demo.Demo \
    micro/target/pollux.jar micro/target/demo
