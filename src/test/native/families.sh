#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Runs the suites of the selector, the Poller and StreamServer on an emulated kqueue, once as each family of kernels
# has it. The last line is "N passed, N failed, N skipped".
#
#   src/test/native/families.sh                           every test, on every family: ten minutes
#   src/test/native/families.sh --concerned netbsd macos  the tests of what the families differ in, on these
#   src/test/native/families.sh --no-build                what is in target is used as it is
#
# JAVA names the java command; default: an installed JDK 25, or another, which may lack virtual threads.
set -euo pipefail
cd "$(dirname "$0")/../../.."

. .ci/setup.sh
. .ci/stages.sh
. .ci/junit.sh
need javac mvn cc make

LOGS=target/families # not those of test.sh, which may be running this
# Pipes, files, closing, refusals, wakeups by a pipe, parking on the queue's own descriptor.
CONCERNED='Pipe|EventBits|RawDescriptor|ClosedDescriptor|DescriptorLimit|DescriptorReuse|Closing|ChannelClosing'
CONCERNED="$CONCERNED|UseAfterClose|Opening|Wakeup|VirtualThread|VirtualRace|RefusedRegistration|StaleRegistration"
CONCERNED="$CONCERNED|Edge|OneShot|DeferredReply|SlowPath"

tests='.*' families=() built=no
for argument in "$@"; do
    case $argument in
        --concerned) tests="($CONCERNED)" ;;
        --no-build) built=yes ;;
        *) families+=("$argument") ;;
    esac
done
[ ${#families[@]} != 0 ] || families=(macos freebsd openbsd netbsd)
java=${JAVA:-$(installed 25)}

# as <family>
as() {
    POLLUX_KQUEUE_FAMILY=$1 CLASSES="dev\.pollux\.(waiting|selector|poller|server)\.${tests}Test" \
        junit "${java:-$JAVA_HOME/bin/java}" dev.pollux "-Ddev.pollux.library.path=$PWD/target/emulated" \
        -Dpollux.test.providers=dev.pollux.KQueueSelectorProvider -Dpollux.test.mechanisms=kqueue
}

mkdir -p "$LOGS"
if [ $built = no ]; then
    artifacts -q test-compile
    make --no-print-directory -C src/test/native emulated SANITIZE= OUT="$PWD/target/emulated"
fi
for family in "${families[@]}"; do
    stage "kqueue of $family" as "$family"
done
finish
