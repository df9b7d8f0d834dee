#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Asks unmodified servers for a million replies each, with a batch, and checks each byte. A part of the sockets is
# small, and a part of the clients slow, so that many replies find no room. A server that has deferred no write, or
# whose sockets had always room, counts as failed: that can happen with fewer than 100000 replies.
#   src/test/exact/run.sh [--no-build] [replies [server...]]    default: 1000000, and all servers
# Environment:
#   BATCHES   default: "writes all"
#   JDKS      default: "17 25"
# The last line is "N passed, N failed, N skipped".
set -euo pipefail
cd "$(dirname "$0")/../../.."

. .ci/setup.sh
need javac mvn cc make

OUT=$PWD/target/exact
read -r -a batches <<<"${BATCHES:-writes all}"
read -r -a versions <<<"${JDKS:-17 25}"
passed=0 failed=0 skipped=0

# serve <java> <batch> <server>: until its input ends.
serve() {
    "$1" -Xmx512m -Djava.nio.channels.spi.SelectorProvider=dev.pollux.PolluxSelectorProvider \
        -Ddev.pollux.batch="$2" -Ddev.pollux.jmx=true -cp "$OUT:micro/target/lib/*:micro/target/pollux/*" \
        Servers "$3" 18081 18082
}

# ask <java> <batch> <server>: prints what was seen, and succeeds if it was right. The clients have the JDK's selector.
ask() {
    local said seen result=0 early=false
    case $3 in raw | kafka*) early=true ;; esac # the others may close when an input ends
    coproc SERVER { serve "$@" 2>"$OUT/server.log"; }
    local input=${SERVER[1]} output=${SERVER[0]} server=$SERVER_PID
    if ! read -r said <&"$output" || [ "$said" != ready ]; then
        cat "$OUT/server.log"
        return 1
    fi
    "$1" -Xmx512m -cp "$OUT" Clients "$replies" "$early" 18081 18082 >"$OUT/clients.log" 2>&1 || result=1
    exec {input}>&-
    read -r seen <&"$output" || seen='the server has ended'
    wait "$server" || result=1
    head -n 5 "$OUT/clients.log" | grep -v 'every byte'
    echo "    $seen"
    [ $result = 0 ] && [[ $seen != 0\ * && $seen != *\ 0\ rests ]]
}

if [ "${1-}" = --no-build ]; then
    shift
else
    micro/build.sh
fi
replies=${1:-1000000}
[ $# = 0 ] || shift
servers=("$@")
[ $# -gt 0 ] || servers=(raw "kafka's way" netty undertow jetty)
rm -rf "$OUT" && mkdir -p "$OUT"
"$JAVA_HOME/bin/javac" --release 17 -Xlint:all,-processing,-classfile -Werror -cp 'micro/target/lib/*' -d "$OUT" \
    src/test/exact/*.java
for version in "${versions[@]}"; do
    java=$(installed "$version")
    if [ -z "$java" ]; then
        echo "skipped: no JDK $version"
        skipped=$((skipped + 1))
        continue
    fi
    for batch in "${batches[@]}"; do
        for server in "${servers[@]}"; do
            echo "$server, batch=$batch, JDK $version:"
            if ask "$java" "$batch" "$server"; then
                passed=$((passed + 1))
            else
                echo "WRONG: $server, batch=$batch, JDK $version"
                failed=$((failed + 1))
            fi
        done
    done
done
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed = 0 ]
