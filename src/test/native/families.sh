#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Runs the selector's and the Poller's suites on an emulated kqueue, once as each family of kernels has it; the last line
# is "N passed, N failed, N skipped". Builds first what is not there.
#
#   src/test/native/families.sh                           every test, on every family: ten minutes
#   src/test/native/families.sh --concerned netbsd macos  the tests of what the families differ in, on these
#
# JAVA names the java command: virtual threads need 21 or a later one.
set -euo pipefail
cd "$(dirname "$0")/../../.."

# Pipes, files, closing, wakeups by a pipe, parking on the queue's own descriptor.
CONCERNED='Pipe|EventBits|RawDescriptor|ClosedDescriptor|DescriptorLimit|DescriptorReuse|Closing|ChannelClosing'
CONCERNED="$CONCERNED|UseAfterClose|Opening|Wakeup|VirtualThread|LostRegistration|StaleRegistration|Edge|OneShot"

classes='.*Test' families=()
for argument in "$@"; do
    if [ "$argument" = --concerned ]; then
        classes=".*\\.($CONCERNED)Test"
    else
        families+=("$argument")
    fi
done
[ ${#families[@]} != 0 ] || families=(macos freebsd openbsd netbsd)

[ -d target/test-classes ] || mvn -q -B -DskipTests package
[ -f target/test-classpath ] || mvn -q -B dependency:build-classpath -Dmdep.outputFile=target/test-classpath
make --no-print-directory -C src/test/native emulated SANITIZE= OUT="$PWD/target/emulated"

found() {
    sed -n "s/^\[ *\([0-9]*\) $1 *\]\$/\1/p" "$log" | grep . || echo 0
}

passed=0 failed=0 skipped=0
log=$(mktemp)
trap 'rm -f "$log"' EXIT
for family in "${families[@]}"; do
    echo "== kqueue of $family"
    status=0
    POLLUX_KQUEUE_FAMILY=$family "${JAVA:-java}" "-Ddev.pollux.library.path=$PWD/target/emulated" \
        -Dpollux.test.providers=dev.pollux.KQueueSelectorProvider -Dpollux.test.mechanisms=kqueue \
        --add-exports java.base/sun.nio.ch=ALL-UNNAMED \
        -cp "target/test-classes:target/classes:$(cat target/test-classpath)" \
        org.junit.platform.console.ConsoleLauncher execute --disable-banner --disable-ansi-colors --details=tree \
        --scan-classpath target/test-classes --include-package dev.pollux.selector \
        --include-package dev.pollux.poller --include-classname "$classes" >"$log" 2>&1 || status=$?
    cat "$log"
    failures=$(($(found 'tests failed') + $(found 'containers failed')))
    # A run that broke, or that found nothing, has not shown that anything works.
    if [ "$failures" = 0 ] && { [ $status != 0 ] || [ "$(found 'tests successful')" = 0 ]; }; then
        failures=1
    fi
    passed=$((passed + $(found 'tests successful'))) failed=$((failed + failures))
    skipped=$((skipped + $(found 'tests skipped') + $(found 'tests aborted')))
done
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed = 0 ]
