#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# What Pollux says of loops, and what it does not.
#
# planted: faults in plain NIO and Netty. Each must be named, once, within two seconds. A handler that sleeps, in Netty
#     and Jetty, must be recorded, and top must show it.
# healthy: six servers that nobody has changed run side by side under mixed load, at full speed in the last tenth of the
#     time. Nothing is wrong, so nothing must be said: each must answer everything, log nothing of Pollux's, and record
#     neither a spin nor a wakeup storm. Netty, Jetty, Tomcat and Undertow come from micro, Kafka and ZooKeeper with
#     clients of their own.
# traced: Netty and Jetty under strace. Their loops must have counted what strace has seen, within 1 %.
# starved: seven servers, one after the other, beside 50 processes that never wait. They are slow, and nothing is wrong.
#
#   src/test/insight/run.sh [minutes [JDK's folder [part...]]]   default: 10, the JDK that builds, all but starved
#   src/test/insight/run.sh starved [seconds [server,...]]       default: a minute for each server
#
# Logs and recordings stay in target/insight. The last line is "N passed, N failed, N skipped".
set -euo pipefail
cd "$(dirname "$0")/../../.."

. .ci/setup.sh
need javac mvn cc strace

out=$PWD/target/insight
rm -rf "$out"
mkdir -p "$out/classes"
micro/build.sh
cp micro/target/pollux/pollux.jar "$out/pollux.jar" # a build in the meantime changes nothing
mvn -q -B -f src/test/insight/pom.xml dependency:build-classpath -Dmdep.outputFile="$out/class-path"
micro=micro/target/classes
"$JAVA_HOME/bin/javac" --release 17 -proc:none -cp "$micro:micro/target/lib/*:$(cat "$out/class-path")" \
    -d "$out/classes" .ci/java/*.java src/test/insight/*.java
if [ "${1:-}" = starved ]; then
    set -- "${2:-60}" "$JAVA_HOME" "${3:-starved}"
else
    [ $# -gt 2 ] || set -- "${1:-10}" "${2:-$JAVA_HOME}" planted healthy traced
    set -- "$(($1 * 60))" "${@:2}"
fi
exec "$JAVA_HOME/bin/java" -cp "$out/classes:$micro" Insight "$out" "$PWD/micro/target" "$@"
