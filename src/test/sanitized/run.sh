#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Runs event loops that change threads and defer what they write, and StreamServers with hostile peers, in virtual
# machines whose native library has a sanitizer: for races, for memory, or for what C leaves undefined. Linux on x86-64,
# as the batch; io_uring is needed.
#   src/test/sanitized/run.sh [--no-build] [thread|address|undefined]...
# The virtual machine itself has none, so what it does with its own memory and locks is not seen. A report counts if a
# function of ours is in it. All are left in target/sanitized.
# The last line is "N passed, N failed, N skipped".
set -euo pipefail
cd "$(dirname "$0")/../../.."

. .ci/setup.sh
need javac mvn cc make

out=$PWD/target/sanitized
passed=0 failed=0 skipped=0

declare -A LIBRARY=([thread]=libtsan.so [address]=libasan.so [undefined]=libubsan.so)
# SIGSEGV is the virtual machine's own: it tells of null pointers and safepoints.
declare -A OPTIONS=(
    [thread]="TSAN_OPTIONS=handle_segv=0:report_signal_unsafe=0:detect_deadlocks=0:exitcode=0:\
suppressions=$PWD/src/test/sanitized/thread.supp"
    [address]="ASAN_OPTIONS=handle_segv=0:detect_leaks=0:halt_on_error=0"
    [undefined]="UBSAN_OPTIONS=print_stacktrace=1"
)

# build <sanitizer>: leaves the jar's library with it.
build() {
    make --no-print-directory -C src/main/native NATIVE="$out/$1" OUT="$out/$1" \
        CFLAGS="-g -O1 -fsanitize=$1" LDFLAGS="-fsanitize=$1"
}

# ours <name>: prints the reports in which a function of ours stands.
ours() {
    cat "$out/$1".report.* 2>/dev/null | awk -v RS='==================+\n|\n\n\n' '/libpollux-jni|runtime error/' || :
}

# run <sanitizer> <name> <java> <program> [argument...]: the address space is as the sanitizers know it only where it is
# not random.
run() {
    local secret=password
    setarch -R env LD_PRELOAD="$(cc -print-file-name="${LIBRARY[$1]}")" "${OPTIONS[$1]}:log_path=$out/$2.report" \
        "$3" -Xmx256m -cp "$out/classes:target/classes:server/target/classes" -Ddev.pollux.library.path="$out/$1" \
        -Djava.nio.channels.spi.SelectorProvider=dev.pollux.PolluxSelectorProvider -Ddev.pollux.batch=all \
        -Djavax.net.ssl.keyStore="$out/keys" -Djavax.net.ssl.keyStorePassword=$secret \
        -Djavax.net.ssl.trustStore="$out/keys" -Djavax.net.ssl.trustStorePassword=$secret \
        "${@:4}" >"$out/$2.log" 2>&1 || return 1
    grep -q 'every byte was right' "$out/$2.log" && [ -z "$(ours "$2")" ]
}

# try <sanitizer> <name> <java> <program> [argument...]
try() {
    if run "$@"; then
        echo "ok: $2: $(grep -Em 1 '^[a-zA-Z]+=' "$out/$2.log")"
        passed=$((passed + 1))
    else
        echo "WRONG: $2"
        ours "$2" | head -n 60
        tail -n 20 "$out/$2.log"
        failed=$((failed + 1))
    fi
}

rm -rf "$out" && mkdir -p "$out/classes"
if [ "${1-}" = --no-build ]; then
    shift
else
    artifacts -q -DskipTests -Dmaven.javadoc.skip package
fi
"$JAVA_HOME/bin/keytool" -genkeypair -alias server -keyalg RSA -dname CN=localhost -storetype PKCS12 \
    -keystore "$out/keys" -storepass password 2>/dev/null
javac --release 17 -Xlint:all -Werror -cp target/classes:server/target/classes -d "$out/classes" src/test/sanitized/*.java
[ $# -gt 0 ] || set -- thread address undefined
for sanitizer in "$@"; do
    build "$sanitizer" >"$out/$sanitizer.build" 2>&1 || { cat "$out/$sanitizer.build" && exit 1; }
    for version in 17 25; do
        java=$(installed $version)
        if [ -z "$java" ]; then
            echo "skipped: $sanitizer, no JDK $version"
            skipped=$((skipped + 1))
            continue
        fi
        try "$sanitizer" "$sanitizer-$version" "$java" Loops "${REQUESTS:-1000}"
        for mechanism in io_uring epoll poll; do
            try "$sanitizer" "$sanitizer-$version-$mechanism" "$java" Connections "$mechanism" 3 "${REQUESTS:-1000}"
        done
    done
done
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed = 0 ]
