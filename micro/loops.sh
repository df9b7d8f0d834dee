#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Records Netty on Pollux under a load that comes and goes, and draws how busy each of its loops was, and what
# `java -jar pollux.jar top` shows of them: see README.md here.
#
#   micro/loops.sh [--jdk DIR] [--no-build] [FOLDER]    default: docs
set -eu
. "$(dirname "$0")/common.sh"
command -v wrk >/dev/null || { echo "$0: wrk is missing (Debian has it)" >&2; exit 1; }
prepare_matplotlib
port=18300
recording=$micro/target/loops.jfr
rm -f "$recording"
# The server ends with its standard input.
mkfifo "$micro/target/loops.in" 2>/dev/null || true
"$java" -Xmx256m -Djava.nio.channels.spi.SelectorProvider=dev.pollux.PolluxSelectorProvider \
    "-XX:StartFlightRecording:filename=$recording,settings=default" -cp "$class_path" \
    dev.pollux.micro.apps.server.Main netty $port <"$micro/target/loops.in" >"$micro/target/loops.log" 2>&1 &
server=$!
exec 3>"$micro/target/loops.in"
trap 'kill $server 2>/dev/null || true' EXIT
for _ in $(seq 50); do
    wrk -t1 -c1 -d1s "http://127.0.0.1:$port/" >/dev/null 2>&1 && break
    sleep 0.2
done
sleep 3
for connections in 1 3 16 128; do
    wrk -t1 -c$connections -d8s "http://127.0.0.1:$port/" >"$micro/target/loops.wrk" &
    wrk=$!
    [ $connections != 16 ] || "$python" -B "$micro/report/screen.py" "${1:-$root/docs}/top.svg" 122 9 5 \
        "$java" -jar "$micro/target/pollux.jar" top $server
    wait $wrk
    grep Requests/sec "$micro/target/loops.wrk"
    sleep 3
done
exec 3>&-
wait $server || true
"$python" -B "$micro/report/loops.py" "${1:-$root/docs}" "$recording"
