#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Builds the jar for all platforms, checks what is in it, and runs the core of the selector's and the Poller's suites
# with it, on other processors under qemu's user-mode emulation. qemu answers ENOSYS for epoll_pwait2, and s390x is
# big-endian.
#
#   run.sh [--no-build] [--each-system] [x86_64] [aarch64] [ppc64le] [s390x]
#
#   --no-build      the tests in target are used as they are; the jar is built all the same
#   --each-system   the jar has each system's library, mostly for one processor, and the suites run on epoll alone
#
# Environment:
#   EXCLUDED_TAG   tests with this tag are left out
#   TESTS   names of test classes, as in selector.PipeTest; default: the core, without GarbageTest, whose compiler is
#           off here, and what interrupts: JDK 17's Thread.interrupt misses a thread that begins to select, and here
#           that takes long.
#
# The jar is built in a copy of the sources, in target/foreign; qemu and Java runtimes are unpacked there, too.
# Closing line: N passed, N failed, N skipped.
set -euo pipefail
cd "$(dirname "$0")/../../.."

. .ci/setup.sh
. .ci/stages.sh
. .ci/junit.sh
. .ci/packages.sh
need javac mvn make pip cargo file

FOREIGN=$PWD/target/foreign
LOGS=$FOREIGN/logs
WAITING=(ClosingTest TimeoutTest WakeupTest)
SELECTOR=(OneShotKeyTest CancellationTest ChannelClosingTest ClosingTest ConnectTest ConsumerTest DatagramTest
    InterestTest LazyDisarmTest PipeTest ReadySetTest RegistrationTest ReplacedKeySetTest StreamTest TimeoutTest
    OutOfBandTest)
POLLER=(AwaitTest ClosedDescriptorTest ConcurrentChangeTest DisableTest EdgeTest EventBitsTest HandlerTest
    ManyThreadsTest MembershipTest OneShotStressTest OneShotTest SocketTest SourceTest)
CORE="${WAITING[*]/#/waiting.} ${SELECTOR[*]/#/selector.} ${POLLER[*]/#/poller.}"
read -r -d '' -a classes <<<"${TESTS:-$CORE}" || true
CLASSES="dev\\.pollux\\.($(IFS='|' && echo "${classes[*]//./\\.}"))"
BUILT=no GOAL=all-platforms MECHANISMS=()
if [ "${1:-}" = --no-build ]; then
    BUILT=yes
    shift
fi
if [ "${1:-}" = --each-system ]; then
    GOAL=each-system
    MECHANISMS=(-Dpollux.test.providers=dev.pollux.EPollSelectorProvider -Dpollux.test.mechanisms=epoll)
    shift
fi

# What Debian calls an architecture.
declare -A DEBIAN=([x86_64]=amd64 [aarch64]=arm64 [ppc64le]=ppc64el [s390x]=s390x)

# The java command of $arch.
java() {
    local root host
    if [ "$arch" = "$(uname -m)" ]; then
        "$JAVA_HOME/bin/java" "$@"
    else
        root=$FOREIGN/${DEBIAN[$arch]}
        host=$FOREIGN/$(dpkg --print-architecture)
        "$host/usr/bin/qemu-$arch-static" -L "$root" "$root/usr/lib/jvm/java-17-openjdk-${DEBIAN[$arch]}/bin/java" \
            -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Djdk.lang.Process.launchMechanism=VFORK "$@"
    fi
}

# Leaves $jar. The cross compiler stays in the copy, and what it knows of other systems in its own cache.
build() {
    local copy=$FOREIGN/build
    mkdir -p "$copy"
    rm -rf "$copy/src"
    cp -r pom.xml build LICENSE NOTICE src "$copy"
    (cd "$copy" && MAKEFLAGS=-j$(nproc) mvn -q -B "-Dnative.goal=$GOAL" -Dmaven.test.skip -Dmaven.javadoc.skip \
        -Dmaven.source.skip package)
    jar=$(echo "$copy"/target/pollux-*[0-9].jar)
}

# The jar itself says whether it works, and which library it took.
works() {
    java -jar "$jar" | tee "$FOREIGN/diagnosis" &&
        grep -q "^library: .*!/META-INF/native/linux-$arch/libpollux-jni.so" "$FOREIGN/diagnosis"
}

suite() {
    if [ "$arch" != "$(uname -m)" ]; then
        unpacked "$FOREIGN/$(dpkg --print-architecture)" "$(dpkg --print-architecture)" "" qemu-user-static
        unpacked "$FOREIGN/${DEBIAN[$arch]}" "${DEBIAN[$arch]}" "" \
            openjdk-17-jre-headless libc6 libgcc-s1 libstdc++6 zlib1g
    fi
    check "the jar takes its library for $arch" works
    FOLDERS=. PRODUCT=$jar CLASSES=$CLASSES junit java dev.pollux "${MECHANISMS[@]}"
}

for arch in "$@"; do
    [ -n "${DEBIAN[$arch]:-}" ] || { echo "run.sh: no such architecture here: $arch" >&2; exit 2; }
done
mkdir -p "$LOGS"
[ $BUILT = yes ] || artifacts -q test-compile
build
stage "libraries" summing src/test/run.sh libraries "$jar" "$FOREIGN" "$GOAL"
for arch in "$@"; do
    stage "the core of the suites on $arch" suite
done
finish
