#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Uses selectors, Pollers and StreamServers in every way there is, side by side, for a long time. Looks whether an event
# or a wakeup is lost, or a descriptor, a thread or memory left behind. On epoll and poll at the same time, on each JDK
# in turn. A third virtual machine beside them has so little direct memory that a StreamServer lacks it all the time.
#
#   run.sh [minutes]    default: 30, of which each JDK gets its part; 1 or 2 will do to try a change
#
# Environment:
#   JDKS         versions; default: "17 25", the second for virtual threads
#   MECHANISMS   default: "epoll poll"
#
# What it prints is left in target/soak, and the stacks of all threads if something fails.
# Closing line: N passed, N failed, N skipped.
set -euo pipefail
cd "$(dirname "$0")/../../.."

. .ci/setup.sh
. .ci/junit.sh
need javac mvn cc make

OUT=$PWD/target/soak
DESCRIPTORS=6000 # few, so that a scenario can use them up
read -r -a versions <<<"${JDKS:-17 25}"
read -r -a mechanisms <<<"${MECHANISMS:-epoll poll}"
SECONDS_EACH=$((${1:-30} * 60 / ${#versions[@]}))
SKIPPED=0

declare -A PROVIDERS=([epoll]=dev.pollux.EPollSelectorProvider [poll]=dev.pollux.PollSelectorProvider)

# soak <java> <mechanism> [option...]
soak() {
    ulimit -n $DESCRIPTORS
    # A heap that is in memory from the start, so that what the process grows by is something else.
    exec "$1" -Xms192m -Xmx192m -XX:+AlwaysPreTouch -XX:-MaxFDLimit -XX:NativeMemoryTracking=summary \
        "-Djava.nio.channels.spi.SelectorProvider=${PROVIDERS[$2]}" --add-exports java.base/sun.nio.ch=ALL-UNNAMED \
        --enable-native-access=ALL-UNNAMED "${@:3}" -cp "$(jar):$(jar server):$OUT/tests.jar:$(libraries)" \
        dev.pollux.soak.Main "$2" "$SECONDS_EACH" "$OUT/$name.stacks"
}

mkdir -p "$OUT"
rm -f "$OUT"/*
artifacts -q -DskipTests package
# One file that stays open: classes of a folder can't be loaded while there is no descriptor left.
"$JAVA_HOME/bin/jar" cf "$OUT/tests.jar" -C target/test-classes dev -C server/target/test-classes dev

for version in "${versions[@]}"; do
    java=$(installed "$version")
    [ -n "$java" ] || java=$(fetched "$version" 2>/dev/null)
    if [ -z "$java" ]; then
        echo "== skipped: no JDK $version"
        SKIPPED=$((SKIPPED + 1))
        continue
    fi
    for mechanism in "${mechanisms[@]}"; do
        name="$mechanism-$version"
        (soak "$java" "$mechanism") 2>&1 | tee "$OUT/$name.log" | sed -u "s/^/$name: /" &
    done
    name="memory-$version"
    (soak "$java" epoll -XX:MaxDirectMemorySize=24m) 2>&1 | tee "$OUT/$name.log" | sed -u "s/^/$name: /" &
    wait
done
# A virtual machine that crashed has no closing line, and fails.
for log in "$OUT"/*.log; do
    tail -n 1 "$log" | grep -E '^[0-9]+ passed, [0-9]+ failed, [0-9]+ skipped$' || echo "0 passed, 1 failed, 0 skipped"
done | awk -v s=$SKIPPED '{ p += $1; f += $3; s += $5 }
    END { printf "\n%d passed, %d failed, %d skipped\n", p, f, s; exit f != 0 || p == 0 }'
