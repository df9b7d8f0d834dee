#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Runs unmodified NIO servers on the JDK and on Pollux, and prints the comparison: first what Netty gains, then what
# else differs. Installs what it needs if it may (Debian packages), else names it. Takes five minutes after the build.
set -euo pipefail
cd "$(dirname "$0")"

. .ci/setup.sh
need javac mvn cc make strace

echo "== building Pollux and the demo (the first time, Maven downloads its plugins and the servers)"
echo "== then Netty and the JDK's HTTP server in turns: on the JDK (jdk), on Pollux's selectors (off), with covered"
echo "== calls where they pay (auto), and with writes in batches (all); the last lines say what this machine gains"
CC=cc micro/run.sh calls --jdk "$JAVA_HOME" --servers netty,httpserver --sides jdk,off,auto,all --connections 64 \
    --modes full --sets 2 --rounds 3 --count-calls
echo "== both with an unmodified client, and a faulty server"
exec "$JAVA_HOME/bin/java" -cp "$PWD/micro/target/classes:$PWD/micro/target/lib/*" dev.pollux.micro.demo.Demo \
    micro/target/pollux/pollux.jar micro/target/demo
