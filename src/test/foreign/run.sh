#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Runs the core of the selector suite on another processor, under qemu's user-mode emulation, with the library from
# the jar for all platforms. qemu answers ENOSYS for epoll_pwait2, and s390x is big-endian.
#
#   run.sh aarch64|s390x [test class...]      test class: a simple name; default: the core
#
# Needs target/pollux-<version>.jar from mvn -Pall-platforms package, and apt. qemu and the Java runtime come from
# Debian packages that are unpacked into target/foreign: nothing is installed.
# Closing line: N passed, N failed, N skipped.
set -euo pipefail
cd "$(dirname "$0")/../../.."

CORE=(ArmedOnceTest CancellationTest ChannelClosingTest ConsumerTest DatagramTest InterestTest LazyDisarmTest PipeTest
    ReadySetTest RegistrationTest StreamTest TimeoutTest WakeupTest)

die() {
    echo "run.sh: $*" >&2
    exit 2
}

arch=${1:-}
case $arch in
    aarch64) debian=arm64 ;;
    s390x) debian=s390x ;;
    *) die "run.sh aarch64|s390x [test class...]" ;;
esac
shift
tests=("${@:-${CORE[@]}}")
jar=$(find target -maxdepth 1 -name 'pollux-[0-9]*.jar' ! -name '*-sources.jar' ! -name '*-javadoc.jar')
unzip -l "$jar" | grep -q "META-INF/native/linux-$arch/" || die "no library for $arch in the jar: mvn -Pall-platforms -DskipTests package"
FOREIGN=$PWD/target/foreign
host=$(dpkg --print-architecture)

# unpacked <Debian architecture> <package...>: leaves them in target/foreign/<architecture>. apt gets a state of its own,
# so that the machine's knows of no foreign architecture.
unpacked() {
    local root=$FOREIGN/$1 apt=$FOREIGN/$1.apt deb
    [ ! -d "$root" ] || return 0
    rm -rf "$apt" "$root.new"
    mkdir -p "$apt"/{lists/partial,archives/partial,debs} "$root.new"
    : >"$apt/status"
    cat >"$apt/apt.conf" <<END
APT { Architecture "$1"; Architectures { "$1"; }; Sandbox::User ""; };
Acquire { Languages "none"; IndexTargets::deb::DEP-11::DefaultEnabled "false"; };
Dir { State "$apt"; State::status "$apt/status"; Cache "$apt"; };
END
    APT_CONFIG=$apt/apt.conf apt-get -q update || true
    (cd "$apt/debs" && APT_CONFIG=$apt/apt.conf apt-get -q download "${@:2}")
    for deb in "$apt"/debs/*.deb; do
        dpkg-deb -x "$deb" "$root.new"
    done
    # Absolute links would lead out of the folder.
    find "$root.new" -type l -lname '/*' -exec sh -c 'ln -sf "$1$(readlink "$2")" "$2"' - "$root" {} \;
    rm -rf "$apt"
    mv "$root.new" "$root"
}

# The foreign java.
java() {
    "$qemu" -L "$root" "$root/usr/lib/jvm/java-17-openjdk-$debian/bin/java" \
        -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Djdk.lang.Process.launchMechanism=VFORK "$@"
}

unpacked "$host" qemu-user-static
unpacked $debian openjdk-17-jre-headless libc6 libgcc-s1 libstdc++6 zlib1g
qemu=$FOREIGN/$host/usr/bin/qemu-$arch-static
root=$FOREIGN/$debian

# Which library was loaded, and on what: the jar itself says it.
java -jar "$jar" | tee "$FOREIGN/$arch.diagnosis"
grep -q "^library: .*!/META-INF/native/linux-$arch/libpollux.so" "$FOREIGN/$arch.diagnosis"
grep -q "no epoll_pwait2" "$FOREIGN/$arch.diagnosis"

mvn -q -B dependency:build-classpath -Dmdep.outputFile=target/test-classpath
out=$FOREIGN/$arch.log
status=0
java --add-exports java.base/sun.nio.ch=ALL-UNNAMED -cp "$jar:target/test-classes:$(cat target/test-classpath)" \
    org.junit.platform.console.ConsoleLauncher execute --disable-banner --disable-ansi-colors --details=tree \
    "${tests[@]/#/--select-class=dev.pollux.selector.}" >"$out" 2>&1 || status=$?
cat "$out"

found() {
    sed -n "s/^\[ *\([0-9]*\) $1 *\]\$/\1/p" "$out" | grep . || echo 0
}
passed=$(found 'tests successful')
failed=$(($(found 'tests failed') + $(found 'containers failed')))
skipped=$(($(found 'tests skipped') + $(found 'tests aborted')))
echo
echo "$((passed + 1)) passed, $failed failed, $skipped skipped"
exit $status
