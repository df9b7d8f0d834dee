#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Runs the tests. Installs what it needs if it may (Debian packages), else names it.
# The last line is the sum: N passed, N failed, N skipped. Logs are left in target/test-logs.
#
#   test.sh         every test. Those with the tag "load", which keep processors busy for seconds, run on JDK 17, epoll
#                   and poll(2) alone
#   test.sh full    the same, and those with the tag "load" on each JDK, mechanism and processor
#   test.sh quick   what takes a minute: the build, style, the C library and all of JUnit on epoll
#
# LANES says how many stages run at a time; default: two more than there are processors (quick: six), since many tests
# wait.
set -euo pipefail
cd "$(dirname "$0")"

. .ci/setup.sh
. .ci/stages.sh
. .ci/junit.sh

# What each mechanism, JDK and option runs.
SUITES="dev.pollux.waiting dev.pollux.selector dev.pollux.poller dev.pollux.server"

# Maven's runs are short: what the second compiler takes, it never gives back. The tests have a VM of their own.
export MAVEN_OPTS="-XX:TieredStopAtLevel=1 ${MAVEN_OPTS:-}"

build() {
    local jar
    rm -f {.,server,tools,micrometer}/target/pollux-*.jar # never test what an earlier build left
    ARTIFACTS=$ARTIFACTS,../micro,../stress artifacts -DskipTests package
    for jar in {.,server,tools,micrometer}/target/pollux-*.jar; do
        "$JAVA_HOME/bin/jar" tf "$jar" >/dev/null
        count 1 0 0
    done
    make --no-print-directory -C src/test/native emulated SANITIZE= OUT="$PWD/target/emulated"
    count 1 0 0
}

compile() {
    artifacts test-compile
    count 1 0 0
}

# The suites that run on each mechanism, on those that are emulated here: emulated <provider,...> <mechanism,...>
emulated() {
    junit "$JAVA_HOME/bin/java" "$SUITES" "-Ddev.pollux.library.path=$PWD/target/emulated" \
        "-Dpollux.test.providers=$1" "-Dpollux.test.mechanisms=$2"
}

# Test classes on epoll alone: on_epoll <pattern of their names below dev.pollux> [option of the VM...]
on_epoll() {
    CLASSES="dev\.pollux\.$1Test" EXCLUDED_TAG=load junit "$JAVA_HOME/bin/java" dev.pollux "${@:2}" \
        -Dpollux.test.providers=dev.pollux.EPollSelectorProvider -Dpollux.test.mechanisms=epoll
}

# All tests of the artifacts in these folders, those with the tag "load" too: all_of <folders, a list in one word>
all_of() {
    FOLDER=$1 EXCLUDED_TAG='' junit "$JAVA_HOME/bin/java" dev.pollux
}

# Those on their finished jars.
finished_jars() {
    FOLDER=$1 EXCLUDED_TAG='' CLASSES='.*IT' PRODUCT="$(jar):$(jar server):tools/target/classes" \
        junit "$JAVA_HOME/bin/java" dev.pollux \
        "-Dpollux.jar=$(jar)" "-Dpollux.server=$(jar server)" "-Dpollux.tools=$(jar tools)"
}

# The tests of another artifact, which knows those whose folders stand behind its own: others <folder...>
others() {
    FOLDERS="$*" FOLDER=$1 junit "$JAVA_HOME/bin/java" dev.pollux
}

# Leaves stages for the JDKs that are not the one we build with.
queue_other_jdks() {
    local version java
    for version in 21 25; do
        if java=$(installed $version) && [ -n "$java" ]; then
            queue "JUnit on JDK $version" junit "$java" dev.pollux
        elif java=$(fetched $version 2>/dev/null) && [ -n "$java" ]; then
            queue "JUnit of what runs on JDK $version" junit "$java" "$SUITES"
        else
            queue "JUnit on JDK $version" skipped_because "no JDK $version in /usr/lib/jvm, and pip can't fetch one"
        fi
    done
}

# Error Prone and Checkstyle, in folders of their own. An incremental build would hide warnings of what it leaves out.
analysis() {
    rm -rf {.,server,tools}/target/checks
    flock target/maven.lock mvn -B -ntp -f build/pom.xml -pl .,..,../server,../tools -Pchecks test-compile -Dexec.skip
    count 2 0 0
}

c_analysis() {
    make --no-print-directory -C src/test/native analyze
    make --no-print-directory -C src/main/native format-check
    count 2 0 0
}

quick() {
    need javac mvn cc make cmocka shellcheck
    stage "build" compile
    [ "$FAILED" = 0 ] || return 0
    # Most tests wait, and most of what they compute is the second compiler's work, which GarbageTest alone needs.
    local part slow='(internal|tools)\..*(Timeout|Checks|JfrGarbage|JfrEvents)'
    queue "JUnit on epoll: what waits inside" on_epoll "$slow" -XX:TieredStopAtLevel=1
    for part in internal tools waiting selector poller server; do
        queue "JUnit on epoll: $part" on_epoll "(?!$slow)$part\.(?!GarbageTest).*" -XX:TieredStopAtLevel=1
    done
    queue "C library on epoll" summing make --no-print-directory -C src/test/native check MECHANISM=epoll \
        SANITIZE= OUT="$PWD/target/native-quick" # the sanitizers would cost most of the minute
    queue "JUnit on epoll: garbage" on_epoll '(selector|poller|server)\.Garbage'
    queue "JUnit on epoll: the rest" on_epoll '(?!(internal|tools|waiting|selector|poller|server)\.).*' \
        -XX:TieredStopAtLevel=1
    queue "style" summing .ci/style.sh
    run_queue "${LANES:-$(($(nproc) + 6))}"
}

# The longest stages come first, so that the lanes end at about the same time.
# What EXCLUDED_TAG excludes still runs in the stage "JUnit".
# All that any stage needs is there before the first one begins: none is skipped for what another one installs later.
everything() {
    need javac mvn cc make strace jtreg cmocka pkg-config bmake shellcheck clang clang-format gpg pip cargo file \
        redis-cli
    stage "build" build
    [ "$FAILED" = 0 ] || return 0
    queue "JUnit on the finished jar" finished_jars .
    queue "the jar for all platforms, on x86-64, aarch64 and s390x" \
        summing src/test/foreign/run.sh --no-build x86_64 aarch64 s390x
    queue "JUnit" all_of .
    queue "JUnit of the server and the tools" all_of "server tools"
    queue "JUnit of the server and the tools on the finished jars" finished_jars "server tools"
    queue "JUnit on an emulated kqueue and /dev/poll" emulated \
        dev.pollux.KQueueSelectorProvider,dev.pollux.DevPollSelectorProvider kqueue,/dev/poll
    queue_other_jdks
    queue "JUnit with -Xcheck:jni" junit "$JAVA_HOME/bin/java" "$SUITES dev.pollux.internal.arena" -Xcheck:jni
    queue "JUnit on a kqueue as FreeBSD, OpenBSD and NetBSD have it" \
        summing src/test/native/families.sh --no-build --concerned freebsd openbsd netbsd
    queue "jcstress, for a minute" summing src/test/run.sh stress --no-build short
    queue "C library under ASan and UBSan" summing make --no-print-directory -C src/test/native check
    queue "arenas under ASan and UBSan" summing make --no-print-directory -C src/test/native arena
    queue "the batch under ASan and UBSan" summing make --no-print-directory -C src/test/native batch \
        OUT="$PWD/target/native-batch"
    if strace -o /dev/null true 2>/dev/null; then
        queue "system calls of single operations" summing micro/run.sh syscalls --no-build
    else
        queue "system calls of single operations" skipped_because "strace is not permitted here"
    fi
    queue "the page cache" others micro server .
    queue "meters for Micrometer" others micrometer .
    queue "jtreg" summing src/test/run.sh jtreg --no-build
    queue "C library, installed" summing src/test/run.sh installed --no-build
    queue "recipes for containers" summing src/test/run.sh containers --no-build
    queue "Error Prone and Checkstyle" analysis
    queue "the analyzer and layout of C" c_analysis
    queue "style" summing .ci/style.sh
    queue "a release, and those who use it" summing src/test/run.sh release --no-build
    run_queue "${LANES:-$(($(nproc) + 2))}"
}

mkdir -p "$LOGS"
case $* in
    "") EXCLUDED_TAG=load everything ;;
    full) everything ;;
    quick) quick ;;
    *) echo "usage: test.sh [full|quick]" >&2 && exit 2 ;;
esac
finish
