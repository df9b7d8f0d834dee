#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Tells what Pollux gains on this machine: runs an unmodified Netty and Tomcat on the JDK, on Pollux, and on Pollux with
# a batch, then has a faulty server looked at. Installs what it needs if it may (Debian packages), else names it. Takes
# less than three minutes after the build. All stays in target/demo.
set -euo pipefail
cd "$(dirname "$0")"

. .ci/setup.sh
need javac mvn cc make

FOLDER=$PWD/target/demo
rm -rf "$FOLDER" && mkdir -p "$FOLDER"
echo "Builds Pollux. Then Netty and Tomcat answer for two and a half minutes on the JDK, on Pollux, and with a batch."
# What fails here is told below: a machine that is too slow is no reason to end.
CC=cc micro/run.sh calls --jdk "$JAVA_HOME" --servers netty,tomcat --sides jdk,auto,all --connections 64 --modes full \
    --sets 2 --rounds 10 --seconds 0.3 --warm-up 6 --json "$FOLDER/figures.json" >"$FOLDER/tables.txt" || true
echo
POLLUX=$(jar) TOOLS=$(jar tools)
exec "$JAVA_HOME/bin/java" -cp "$PWD/micro/target/classes:$PWD/micro/target/lib/*" dev.pollux.micro.demo.Demo \
    target/demo "${POLLUX#"$PWD"/./}" "${TOOLS#"$PWD"/}"
