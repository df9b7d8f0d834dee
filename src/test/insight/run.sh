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
#
#   src/test/insight/run.sh [minutes [JDK's folder [part...]]]   default: ten minutes, the JDK that builds, all parts
#
# Logs and recordings stay in target/insight. The last line is "N passed, N failed, N skipped".
set -euo pipefail
cd "$(dirname "$0")/../../.."

. .ci/setup.sh
need javac mvn cc strace

root=$PWD
out=$root/target/insight
seconds=$((${1:-10} * 60))
home=${2:-$JAVA_HOME}
parts=("${@:3}")
[ ${#parts[@]} -gt 0 ] || parts=(planted healthy traced)
passed=0 failed=0 skipped=0
pids=()
trap '[ ${#pids[@]} = 0 ] || kill "${pids[@]}" 2>/dev/null || true' EXIT

rm -rf "$out"
mkdir -p "$out/classes"
micro/build.sh
cp micro/target/pollux.jar "$out/pollux.jar" # a build in the meantime changes nothing
http="$out/pollux.jar:$root/micro/target/classes:$root/micro/target/lib/*"
mvn -q -B -f src/test/insight/pom.xml dependency:build-classpath -Dmdep.outputFile="$out/class-path"
brokers=$(cat "$out/class-path")
javac --release 17 -proc:none -cp "micro/target/lib/*:$brokers" -d "$out/classes" src/test/insight/*.java
access=--enable-native-access=ALL-UNNAMED # JDK 25 warns without it
"$home/bin/java" "$access" -version 2>/dev/null || access=-Dnone

# server <name> <argument of java...>: a virtual machine on Pollux that records. What stands in "under" starts it. The
# names of its files begin with the part of this script.
under=()
server() {
    (cd "$out" && exec "${under[@]}" "$home/bin/java" -Xmx512m "$access" \
        -Djava.nio.channels.spi.SelectorProvider=dev.pollux.PolluxSelectorProvider \
        "-XX:StartFlightRecording:filename=$out/$part-$1.jfr,settings=default" "${@:2}" >"$out/$part-$1.log" 2>&1)
}

# http_server <name> <port>: one of micro's, in the background. It ends when this script closes its input.
inputs=()
http_server() {
    local input
    mkfifo "$out/$1.end"
    server "$1" -cp "$http" dev.pollux.micro.apps.server.Main "$1" "$2" <"$out/$1.end" &
    pids+=($!)
    exec {input}>"$out/$1.end"
    rm "$out/$1.end"
    inputs+=("$input")
    until (exec 3<>"/dev/tcp/127.0.0.1/$2") 2>/dev/null; do sleep 0.2; done
}

end_servers() {
    local input pid
    for input in "${inputs[@]}"; do
        exec {input}>&-
    done
    for pid in "${pids[@]}"; do
        wait "$pid" || true
    done
    inputs=() pids=()
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
    "$JAVA_HOME/bin/jfr" summary "$out/$part-$1.jfr" | awk -v event="dev.pollux.$2" '$1 == event { print $2 }'
}

is_silent() {
    ! grep -n pollux "$out/$part-$1.log"
}

has_no() {
    [ "$(events "$1" "$2")" = 0 ]
}

has_some() {
    [ "$(events "$1" "$2")" -gt 0 ]
}

planted() {
    local good wrong
    "$home/bin/java" "$access" -Djava.nio.channels.spi.SelectorProvider=dev.pollux.PolluxSelectorProvider \
        -cp "$out/classes:$http" Planted "$out/pollux.jar" 10 2>"$out/planted.err" | tee "$out/planted.log" || true
    # The last line: N passed, N failed, N skipped
    read -r good wrong < <(sed -nE 's/^([0-9]+) passed, ([0-9]+) failed.*/\1 \2/p' "$out/planted.log" | grep . ||
        echo 0 1)
    passed=$((passed + good)) failed=$((failed + wrong))
}

healthy() {
    local name port=18200 ports=()
    for name in netty jetty tomcat undertow; do
        port=$((port + 1)) && ports+=("$port")
        http_server "$name" "$port"
    done
    for name in kafka zookeeper; do
        mkdir "$out/$name"
        server "$name" -cp "$out/classes:$out/pollux.jar:$brokers" Broker "$name" "$seconds" "$out/$name" &
        pids+=($!)
    done
    expect "every user got every answer" "$JAVA_HOME/bin/java" -cp "$out/classes" Users "$seconds" "${ports[@]}"
    end_servers
    for name in netty jetty tomcat undertow kafka zookeeper; do
        expect "$name logs nothing of Pollux" is_silent "$name"
        expect "$name has loops" has_some "$name" SelectorOpened
        expect "$name's loops report" has_some "$name" SelectorStatistics
        expect "$name has no spin" has_no "$name" Spin
        expect "$name has no wakeup storm" has_no "$name" WakeupStorm
    done
    for name in kafka zookeeper; do
        expect "$name served its clients: $(grep "^$name: " "$out/$part-$name.log")" \
            grep -q "^$name: [1-9]" "$out/$part-$name.log"
    done
}

traced() {
    local name port=18300 ports=()
    if ! strace -o /dev/null true 2>/dev/null; then
        skipped=$((skipped + 1)) && echo "skipped: strace is not permitted here"
        return
    fi
    mkdir "$out/calls"
    for name in netty jetty; do
        port=$((port + 1)) && ports+=("$port")
        mkdir "$out/calls/$name"
        under=(strace --seccomp-bpf -ff -o "$out/calls/$name/thread"
            -e 'trace=?epoll_wait,epoll_pwait,?epoll_pwait2,epoll_ctl,write')
        http_server "$name" "$port"
    done
    under=()
    "$JAVA_HOME/bin/java" -cp "$out/classes" Users 39 "${ports[@]}" # those who are idle stay for 20 seconds
    # Loops report at most once a second, and only when they have something to do.
    for name in {1..8}; do
        sleep 1.1
        for port in "${ports[@]}"; do
            (exec 3<>"/dev/tcp/127.0.0.1/$port" && printf 'GET / HTTP/1.0\r\n\r\n' >&3 && cat <&3 >/dev/null)
        done
    done
    end_servers
    for name in netty jetty; do
        expect "$name's loops have counted what strace has seen" \
            "$JAVA_HOME/bin/java" -cp "$out/classes" Traced "$out/$part-$name.jfr" "$out/calls/$name"
    done
}

for part in "${parts[@]}"; do
    "$part"
done
echo
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ]
