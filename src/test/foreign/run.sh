#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Builds the jar for all platforms, checks what is in it, and runs the core of the selector's and the Poller's suites
# with it, on other processors under qemu's user-mode emulation. qemu answers ENOSYS for epoll_pwait2, and s390x is
# big-endian.
#
#   run.sh [--no-build] [x86_64] [aarch64] [ppc64le] [s390x]
#
#   --no-build   the tests in target are used as they are; the jar is built all the same
#
# Environment:
#   EXCLUDED_TAG   tests with this tag are left out
#   TESTS   names of test classes, as in selector.PipeTest; default: the core. Two kinds are not for here. GarbageTest
#           needs the compiler that is switched off to start faster. What interrupts (selector.InterruptTest,
#           poller.WakeupTest) may hang: JDK 17's Thread.interrupt misses a thread that begins to select at that moment,
#           and under emulation a moment is long.
#
# The jar is built in a copy of the sources, in target/foreign, so that other tests can run at the same time. qemu and
# the Java runtimes come from Debian packages that are unpacked there too: nothing is installed.
# Closing line: N passed, N failed, N skipped.
set -euo pipefail
cd "$(dirname "$0")/../../.."

. .ci/setup.sh
. .ci/packages.sh
need javac mvn make pip cargo file

FOREIGN=$PWD/target/foreign
SELECTOR=(OneShotKeyTest CancellationTest ChannelClosingTest ClosingTest ConnectTest ConsumerTest DatagramTest
    InterestTest LazyDisarmTest PipeTest ReadySetTest RegistrationTest ReplacedKeySetTest StreamTest TimeoutTest
    OutOfBandTest WakeupTest)
POLLER=(AwaitTest ClosedDescriptorTest ConcurrentChangeTest DisableTest EdgeTest EventBitsTest HandlerTest
    ManyThreadsTest MembershipTest OneShotStressTest OneShotTest SocketTest SourceTest)
read -r -d '' -a classes <<<"${TESTS:-${SELECTOR[*]/#/selector.} ${POLLER[*]/#/poller.}}" || true
PASSED=0 FAILED=0 SKIPPED=0
BUILT=no
if [ "${1:-}" = --no-build ]; then
    BUILT=yes
    shift
fi

# What Debian calls an architecture.
debian() {
    case $1 in
        x86_64) echo amd64 ;;
        aarch64) echo arm64 ;;
        ppc64le) echo ppc64el ;;
        s390x) echo s390x ;;
        *) echo "run.sh: no such architecture here: $1" >&2 && exit 2 ;;
    esac
}

# java <architecture> <argument...>
java() {
    local root host
    if [ "$1" = "$(uname -m)" ]; then
        "$JAVA_HOME/bin/java" "${@:2}"
    else
        root=$FOREIGN/$(debian "$1")
        host=$FOREIGN/$(dpkg --print-architecture)
        "$host/usr/bin/qemu-$1-static" -L "$root" "$root/usr/lib/jvm/java-17-openjdk-$(debian "$1")/bin/java" \
            -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Djdk.lang.Process.launchMechanism=VFORK "${@:2}"
    fi
}

# Leaves $jar. The cross compiler stays in the copy, and what it knows of other systems in its own cache.
build() {
    local copy=$FOREIGN/build
    mkdir -p "$copy"
    rm -rf "$copy/src"
    cp -r pom.xml LICENSE NOTICE src "$copy"
    (cd "$copy" && MAKEFLAGS=-j$(nproc) mvn -q -B -Pall-platforms -Dmaven.test.skip -Dmaven.javadoc.skip \
        -Dmaven.source.skip package)
    jar=$(echo "$copy"/target/pollux-*[0-9].jar)
}

# The jar itself says whether it works, and which library it took.
diagnosis() {
    if java "$1" -jar "$jar" | tee "$FOREIGN/diagnosis" &&
        grep -q "^library: .*!/META-INF/native/linux-$1/libpollux-jni.so" "$FOREIGN/diagnosis"; then
        PASSED=$((PASSED + 1))
    else
        FAILED=$((FAILED + 1))
    fi
}

# The jar stands before the classes of the tests; those of the product are in no other place.
suite() {
    local out=$FOREIGN/$1.log
    java "$1" --add-exports java.base/sun.nio.ch=ALL-UNNAMED \
        -cp "$jar:target/test-classes:$(cat target/test-classpath)" \
        org.junit.platform.console.ConsoleLauncher execute --disable-banner --disable-ansi-colors --details=tree \
        "${classes[@]/#/--select-class=dev.pollux.}" ${EXCLUDED_TAG:+--exclude-tag "$EXCLUDED_TAG"} \
        >"$out" 2>&1 || true
    cat "$out"
    PASSED=$((PASSED + $(found "$out" 'tests successful' 0)))
    FAILED=$((FAILED + $(found "$out" 'tests failed' 1) + $(found "$out" 'containers failed' 0)))
    SKIPPED=$((SKIPPED + $(found "$out" 'tests skipped' 0) + $(found "$out" 'tests aborted' 0)))
}

# found <output> <count> <what it is if the suite did not get to its end>
found() {
    sed -n "s/^\[ *\([0-9]*\) $2 *\]\$/\1/p" "$1" | grep . || echo "$3"
}

for arch in "$@"; do
    debian "$arch" >/dev/null
done
[ $BUILT = yes ] || mvn -q -B test-compile dependency:build-classpath -Dmdep.outputFile=target/test-classpath
build
program "$FOREIGN/classes" src/test/foreign Libraries "$jar" "$FOREIGN" | tee "$FOREIGN/libraries" || true
read -r passed failed < <(sed -nE 's/^([0-9]+) passed, ([0-9]+) failed.*/\1 \2/p' "$FOREIGN/libraries" |
    grep . || echo 0 1)
PASSED=$((PASSED + passed)) FAILED=$((FAILED + failed))
for arch in "$@"; do
    if [ "$arch" != "$(uname -m)" ]; then
        unpacked "$FOREIGN/$(dpkg --print-architecture)" "$(dpkg --print-architecture)" "" qemu-user-static
        unpacked "$FOREIGN/$(debian "$arch")" "$(debian "$arch")" "" \
            openjdk-17-jre-headless libc6 libgcc-s1 libstdc++6 zlib1g
    fi
    diagnosis "$arch"
    suite "$arch"
done
echo
echo "$PASSED passed, $FAILED failed, $SKIPPED skipped"
[ "$FAILED" = 0 ]
