#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# What Pollux says of loops, and what it does not.
#
# 1. Faults are planted in plain NIO, Netty and the JDK's HTTP server. Each must be named, once, within two seconds.
# 2. Six servers that nobody has changed run side by side under mixed load. Nothing is wrong, so nothing must be said:
#    each must answer everything, log nothing of Pollux's, and record neither a spin nor a wakeup storm. Netty, Jetty,
#    Tomcat and Undertow come from micro, Kafka and ZooKeeper with clients of their own.
#
#   src/test/insight/run.sh [minutes [JDK's folder]]   default: ten minutes, the JDK that builds
#
# Logs and recordings stay in target/insight. The last line is "N passed, N failed, N skipped".
set -euo pipefail
cd "$(dirname "$0")/../../.."

. .ci/setup.sh
need javac mvn cc

out=$PWD/target/insight
seconds=$((${1:-10} * 60))
home=${2:-$JAVA_HOME}
passed=0 failed=0
pids=()
trap '[ ${#pids[@]} = 0 ] || kill "${pids[@]}" 2>/dev/null || true' EXIT

rm -rf "$out"
mkdir -p "$out/classes"
micro/build.sh
cp micro/target/pollux.jar "$out/pollux.jar"
mvn -q -B -f src/test/insight/pom.xml dependency:build-classpath -Dmdep.outputFile="$out/class-path"
brokers=$(cat "$out/class-path")
javac --release 17 -proc:none -cp "micro/target/lib/*:$brokers" -d "$out/classes" src/test/insight/*.java

# server <name> <argument of java...>: a virtual machine on Pollux that records; its standard input is a pipe
server() {
    "$home/bin/java" -Xmx512m --enable-native-access=ALL-UNNAMED \
        -Djava.nio.channels.spi.SelectorProvider=dev.pollux.PolluxSelectorProvider \
        "-XX:StartFlightRecording:filename=$out/$1.jfr,settings=default" "${@:2}" >"$out/$1.log" 2>&1
}

# expect <what> <command...>
expect() {
    if "${@:2}"; then
        passed=$((passed + 1)) && echo "ok: $1"
    else
        failed=$((failed + 1)) && echo "WRONG: $1"
    fi
}

events() {
    "$JAVA_HOME/bin/jfr" summary "$out/$1.jfr" | awk -v event="dev.pollux.$2" '$1 == event { print $2 }'
}

is_silent() {
    ! grep -nE 'dev\.pollux|pollux' "$out/$1.log"
}

has_no() {
    [ "$(events "$1" "$2")" = 0 ]
}

has_some() {
    [ "$(events "$1" "$2")" -gt 0 ]
}

"$home/bin/java" -Djava.nio.channels.spi.SelectorProvider=dev.pollux.PolluxSelectorProvider \
    -cp "$out/classes:$out/pollux.jar:micro/target/lib/*" Planted "$out/pollux.jar" 10 2>"$out/planted.err" |
    tee "$out/planted.log" || true
# The last line: N passed, N failed, N skipped
read -r passed failed < <(sed -nE 's/^([0-9]+) passed, ([0-9]+) failed.*/\1 \2/p' "$out/planted.log" | grep . ||
    echo 0 1)

http=(netty jetty tomcat undertow)
port=18200 ports=()
for name in "${http[@]}"; do
    port=$((port + 1)) && ports+=("$port")
    # It ends with its standard input.
    sleep $((seconds + 60)) | (cd "$out" && server "$name" \
        -cp "$out/pollux.jar:$OLDPWD/micro/target/classes:$OLDPWD/micro/target/lib/*" \
        dev.pollux.micro.apps.server.Main "$name" "$port") &
    pids+=($!)
    until (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; do sleep 0.2; done
done
for name in kafka zookeeper; do
    mkdir "$out/$name"
    server "$name" -cp "$out/classes:$out/pollux.jar:$brokers" Broker "$name" "$seconds" "$out/$name" &
    pids+=($!)
done
expect "every user got every answer" \
    "$JAVA_HOME/bin/java" -cp "$out/classes" Users "$seconds" "${ports[@]}"
for pid in "${pids[@]}"; do
    wait "$pid" || true
done
pids=()
for name in "${http[@]}" kafka zookeeper; do
    expect "$name logs nothing of Pollux" is_silent "$name"
    expect "$name has loops" has_some "$name" SelectorOpened
    expect "$name's loops report" has_some "$name" SelectorStatistics
    expect "$name has no spin" has_no "$name" Spin
    expect "$name has no wakeup storm" has_no "$name" WakeupStorm
done
for name in kafka zookeeper; do
    expect "$name served its clients: $(tail -n 1 "$out/$name.log")" grep -q "^$name: [1-9]" "$out/$name.log"
done
echo
echo "$passed passed, $failed failed, 0 skipped"
[ "$failed" = 0 ]
