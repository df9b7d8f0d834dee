#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Runs unmodified NIO servers on the JDK's selectors and on those of Pollux, and prints the comparison.
# Installs what it needs if it may (Debian packages), else names it. Takes two minutes after the build.
set -euo pipefail
cd "$(dirname "$0")"

. .ci/setup.sh
need javac mvn cc make strace

echo "== building Pollux (the first time, Maven downloads its plugins)"
mvn -q -B -DskipTests package
echo "== building the demo"
mvn -q -B -f demo/pom.xml compile

jar=$(ls target/pollux-*[0-9].jar)
classpath=demo/target/classes:$(cat demo/target/classpath)
echo "== running"
exec "$JAVA_HOME/bin/java" -cp "$classpath" dev.pollux.demo.Demo "$jar:$classpath" demo/target/logs
