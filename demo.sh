#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Runs unmodified NIO servers on the JDK's selectors and on those of Pollux, and prints the comparison.
# Installs what it needs if it may (Debian packages), else names it. Takes two minutes after the build.
set -euo pipefail
cd "$(dirname "$0")"

. .ci/setup.sh
need javac mvn cc make strace

echo "== building Pollux and the demo (the first time, Maven downloads its plugins and the servers)"
micro/build.sh
echo "== running"
exec "$JAVA_HOME/bin/java" -cp "$PWD/micro/target/classes:$PWD/micro/target/lib/*" dev.pollux.micro.demo.Demo \
    micro/target/pollux.jar micro/target/demo
