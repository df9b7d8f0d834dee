# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh disable=SC2154 # $micro, $java and $class_path are set by who sources this
# Sourced by cache.sh: loads each server of the page cache with wrk, one after the other. Words in "$@": connections,
# seconds, rounds.
connections=${1:-64}
seconds=${2:-5}
rounds=${3:-3}
port=8480
server=
trap '[ -z "$server" ] || kill "$server" 2>/dev/null || true' EXIT
for round in $(seq "$rounds"); do
    for kind in netty-nio deferring handing-over; do
        : >"$micro/target/wrk.log" # what the last one has said is not this one's
        "$java" -Xmx256m -XX:+UseSerialGC -cp "$class_path" dev.pollux.micro.cache.Main --port $port --kind $kind \
            >"$micro/target/wrk.log" 2>&1 &
        server=$!
        until grep -q listening "$micro/target/wrk.log"; do
            kill -0 $server || { cat "$micro/target/wrk.log" >&2; exit 1; }
            sleep 0.1
        done
        wrk -t1 -c"$connections" -d8s -s "$micro/cache.lua" http://127.0.0.1:$port/ >/dev/null # warms up
        before=$(awk '{ print $14 + $15 }' /proc/$server/stat)
        wrk -t1 -c"$connections" -d"${seconds}s" --latency -s "$micro/cache.lua" http://127.0.0.1:$port/ \
            >"$micro/target/wrk.out"
        after=$(awk '{ print $14 + $15 }' /proc/$server/stat)
        awk -v kind=$kind -v round="$round" -v ticks=$((after - before)) '
            /requests in/ { requests = $1 }
            /Requests\/sec/ { rate = $2 }
            /99%/ { p99 = $2 }
            /Non-2xx|Socket errors/ { wrong = wrong " WRONG: " $0 }
            END { printf "%d %-13s %8.0f requests/s %8.0f requests/CPU s  p99 %s%s\n", round, kind, rate,
                  (ticks > 0 ? requests * 100 / ticks : 0), p99, wrong }' "$micro/target/wrk.out"
        kill $server
        wait $server || true
        server=
    done
done
