#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Runs the tests. Installs what it needs if it may (Debian packages), else names it.
# The last line is the sum: N passed, N failed, N skipped. Logs are left in target/test-logs.
#
#   test.sh             every test, with JDK 17; the root's with the tag "load", which keep processors busy for
#                       seconds, on epoll alone. Of what runs again elsewhere, without that tag, what can differ there:
#                       the suites of a mechanism; on other JDKs, on aarch64 and with -Xcheck:jni on epoll alone; the
#                       server on JDK 17 and 25, and what families of kernels differ in
#   test.sh full        all of that on each JDK, mechanism and processor, and the libraries of all platforms
#   test.sh quick       in a good minute: build, style, the C library and JUnit on epoll, but for tests of garbage
#   test.sh families [NAME...]   the suites on an emulated kqueue as macos, freebsd, openbsd and netbsd have it
#   test.sh next [VERSION...]    younger Java runtimes, from Debian's unstable release: the selector's and the Poller's
#                       suites, tests on the finished jar, HTTP servers. Delete target/next/root to get newer ones
#
# LANES says how many stages run at a time; default: three more than processors (quick: all), since many tests wait.
set -euo pipefail
cd "$(dirname "$0")"

. .ci/setup.sh
. .ci/stages.sh
. .ci/junit.sh

# What each mechanism, JDK and option runs.
LOOPS="dev.pollux.waiting dev.pollux.selector dev.pollux.poller"

# Needs code that the second compiler has made. Where tests run again they do without: most of what they compute would
# be its work.
GARBAGE='dev\.pollux\.(selector|poller|server)\.Garbage'
FIRST_COMPILER=-XX:TieredStopAtLevel=1

# The library with what is emulated here.
EMULATED=-Ddev.pollux.library.path=$PWD/target/emulated

# Where something else than the mechanism is looked at.
ON_EPOLL=(-Dpollux.test.providers=dev.pollux.EPollSelectorProvider -Dpollux.test.mechanisms=epoll)

# What families of kernels differ in: pipes, files, closing, refusals, wakeups by a pipe, parking on the queue's own
# descriptor.
CONCERNED='(Pipe|EventBits|RawDescriptor|ClosedDescriptor|DescriptorLimit|DescriptorReuse|Closing|ChannelClosing'
CONCERNED="$CONCERNED|UseAfterClose|Opening|Wakeup|VirtualThread|VirtualRace|RefusedRegistration|StaleRegistration"
CONCERNED="$CONCERNED|Edge|OneShot|DeferredReply|SlowPath)"

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

is_full() {
    [ -z "$EXCLUDED_TAG" ]
}

# again <java> <packages, a list in one word> [option of the VM...]: what has run on JDK 17 and its mechanisms.
again() {
    if is_full; then
        junit "$@"
    else
        CLASSES="(?!$GARBAGE).*Test" junit "$@" $FIRST_COMPILER
    fi
}

# The same, unless all is asked for on epoll alone.
again_on_epoll() {
    is_full || set -- "$@" "${ON_EPOLL[@]}"
    again "$@"
}

# The same on another JDK: how a virtual thread waits depends on the JDK and the mechanism.
on_jdk() {
    local failed=0
    again_on_epoll "$@" || failed=1
    is_full || CLASSES='.*Virtual.*Test' junit "$@" $FIRST_COMPILER -Dpollux.test.mechanisms=poll \
        -Dpollux.test.providers=dev.pollux.PollSelectorProvider || failed=1
    return $failed
}

# family <name> <pattern of test classes> [option of the VM...]: on a kqueue as that family of kernels has it. On a JDK
# with virtual threads, if there is one.
family() {
    local java
    java=$(installed 25)
    POLLUX_KQUEUE_FAMILY=$1 CLASSES="dev\.pollux\.(waiting|selector|poller|server)\.$2Test" \
        junit "${java:-$JAVA_HOME/bin/java}" dev.pollux "$EMULATED" "${@:3}" \
        -Dpollux.test.providers=dev.pollux.KQueueSelectorProvider -Dpollux.test.mechanisms=kqueue
}

# Test classes on epoll alone: on_epoll <pattern of their names below dev.pollux> [option of the VM...]
on_epoll() {
    CLASSES="dev\.pollux\.$1Test" EXCLUDED_TAG=load junit "$JAVA_HOME/bin/java" dev.pollux "${ON_EPOLL[@]}" "${@:2}"
}

# All tests of the artifacts in these folders, or those with a tag: all_of <folders, in one word> [tag [option...]]
all_of() {
    FOLDER=$1 EXCLUDED_TAG='' INCLUDED_TAG=${2:-} junit "$JAVA_HOME/bin/java" dev.pollux "${@:3}"
}

# Those on their finished jars.
finished_jars() {
    FOLDER=$1 EXCLUDED_TAG='' CLASSES='.*IT' PRODUCT="$(jar):$(jar server):tools/target/classes" \
        junit "$JAVA_HOME/bin/java" dev.pollux \
        "-Dpollux.jar=$(jar)" "-Dpollux.server=$(jar server)" "-Dpollux.tools=$(jar tools)"
}

# The tests of one artifact, which knows those whose folders stand behind its own: others <folder...>
others() {
    FOLDERS="$*" FOLDER=$1 junit "$JAVA_HOME/bin/java" dev.pollux
}

# Leaves stages for the JDKs that are not the one we build with: queue_other_jdks <the server's package, or nothing>
queue_other_jdks() {
    local version java what server=$1
    for version in 21 25; do
        java=$(installed $version) what=dev.pollux
        [ -n "$java" ] || java=$(fetched $version 2>/dev/null) what="$LOOPS $server"
        if [ -n "$java" ]; then
            queue "JUnit on JDK $version" on_jdk "$java" "$what"
        else
            queue "JUnit on JDK $version" skipped_because "no JDK $version in /usr/lib/jvm, and pip can't fetch one"
        fi
        server=dev.pollux.server # on the oldest and the newest unless all is asked for
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

families() {
    local family
    need javac mvn cc make
    [ $# != 0 ] || set -- macos freebsd openbsd netbsd
    stage "build" build
    for family in "$@"; do
        stage "kqueue of $family" family "$family" '.*'
    done
}

# Unmodified HTTP servers; it fails if an answer is wrong, or a selector is another one. http <home of a JRE>
http() {
    micro/run.sh apps --no-build --jdk "$1" --quick --no-count-calls --servers httpserver,netty_example,tomcat,undertow
    count 4 0 0
}

next() {
    local root=$PWD/target/next/root home version access=--enable-native-access=ALL-UNNAMED package
    need javac mvn cc make strace
    . .ci/packages.sh
    unpacked_jdks "$root"
    stage "build" build
    micro/run.sh apps --help >/dev/null # builds
    for home in "$root"/usr/lib/jvm/java-[0-9][0-9]-openjdk-*; do
        version=$(basename "$home" | cut -d - -f 2)
        [ $# = 0 ] || [[ " $* " = *" $version "* ]] || continue
        for package in $LOOPS; do
            stage "JUnit of $package on JDK $version" junit "$home/bin/java" "$package" $access
        done
        CLASSES='.*IT' stage "JUnit on the finished jar, with JDK $version" junit "$home/bin/java" dev.pollux.loading \
            $access "-Dpollux.jar=$(jar)" "-Dpollux.test.jdks=$home"
        stage "HTTP servers on JDK $version" http "$home"
    done
}

quick() {
    need javac mvn cc make cmocka shellcheck
    stage "build" check "all that quick tests compiles" artifacts test-compile
    [ "$FAILED" = 0 ] || return 0
    local part slow='(internal|tools)\..*(Timeout|Checks|JfrGarbage|JfrEvents|LoopsBean)' blocked='.*\.Blocked.*'
    local tls='(internal\.tls|server\.(Tls|Secure))' waits='server\.(Refused|Copied|Phase|DeadLoop).*'
    queue "C library on epoll" summing make --no-print-directory -C src/test/native check MECHANISM=epoll \
        SANITIZE= OUT="$PWD/target/native-quick" # the sanitizers would cost most of the minute
    queue "JUnit on epoll: TLS" on_epoll "$tls.*" # the first compiler's ciphers take twice the time
    queue "JUnit on epoll: what waits for seconds" on_epoll "$slow" $FIRST_COMPILER
    queue "JUnit on epoll: blocked loops" on_epoll "$blocked" $FIRST_COMPILER
    queue "JUnit on epoll: what waits in the server" on_epoll "$waits" $FIRST_COMPILER
    for part in server internal tools waiting selector poller; do # most tests wait
        queue "JUnit on epoll: $part" on_epoll "(?!$slow|$blocked|$tls|$waits)$part\.(?!GarbageTest).*" $FIRST_COMPILER
    done
    queue "JUnit on epoll: the rest" on_epoll '(?!(internal|tools|waiting|selector|poller|server)\.).*' $FIRST_COMPILER
    queue "style" summing nice .ci/style.sh # what waits comes first
    run_queue "${LANES:-${#QUEUED_NAMES[@]}}"
}

# Before the first stage that needs any of it: none is skipped for what another one installs later. In a shell of its
# own, since "need" exits: "check" then shows what it has said.
packages() (
    need javac mvn cc make strace jtreg cmocka pkg-config bmake shellcheck clang clang-format gpg pip cargo file \
        redis-cli
    for version in 21 25; do
        [ -n "$(installed $version)" ] || fetched $version
    done
)

# The longest stages come first, so that the lanes end at about the same time. A release and Error Prone wait for each
# other: both have Maven compile. What EXCLUDED_TAG excludes still runs in a stage of its own.
everything() {
    local family less=() others=(s390x) first=() server=dev.pollux.server lanes=${LANES:-$(($(nproc) + 3))}
    local traced=(skipped_because "strace is not permitted here")
    is_full || less=(--each-system) others=() first=("$FIRST_COMPILER") server=
    may_install || packages # names all that is missing
    need javac mvn cc make
    queue "build" build
    queue "packages" check "what the other stages need is there" packages
    run_queue "$lanes"
    [ "$FAILED" = 0 ] || return 0
    queue "JUnit of the server and the tools" all_of "server tools"
    queue "JUnit on the finished jar" finished_jars .
    queue "the jar for all platforms, on x86-64 and aarch64${others:+ and s390x}" \
        summing src/test/foreign/run.sh --no-build "${less[@]}" x86_64 aarch64 "${others[@]}"
    queue "JUnit" others .
    queue "JUnit of the server and the tools on the finished jars" finished_jars "server tools"
    is_full || queue "JUnit of what keeps processors busy, on epoll" all_of . load "${ON_EPOLL[@]}"
    queue "a release, and those who use it" summing src/test/run.sh release --no-build
    queue "JUnit on an emulated kqueue and /dev/poll" again "$JAVA_HOME/bin/java" "$LOOPS $server" "$EMULATED" \
        -Dpollux.test.providers=dev.pollux.KQueueSelectorProvider,dev.pollux.DevPollSelectorProvider \
        -Dpollux.test.mechanisms=kqueue,/dev/poll
    queue_other_jdks "$server"
    queue "Error Prone and Checkstyle" analysis
    queue "arenas under ASan and UBSan" summing make --no-print-directory -C src/test/native arena
    queue "jcstress, for a minute" summing src/test/run.sh stress --no-build short
    queue "C library, installed" summing src/test/run.sh installed --no-build
    queue "JUnit with -Xcheck:jni" again_on_epoll "$JAVA_HOME/bin/java" "$LOOPS $server dev.pollux.internal.arena" \
        -Xcheck:jni
    queue "C library under ASan and UBSan" summing make --no-print-directory -C src/test/native check
    queue "the batch under ASan and UBSan" summing make --no-print-directory -C src/test/native batch \
        OUT="$PWD/target/native-batch"
    queue "the analyzer and layout of C" c_analysis
    for family in freebsd openbsd netbsd; do
        queue "JUnit on a kqueue as $family has it" family $family "$CONCERNED" "${first[@]}"
    done
    queue "jtreg" summing src/test/run.sh jtreg --no-build
    strace -o /dev/null true 2>/dev/null && traced=(summing micro/run.sh syscalls --no-build)
    queue "system calls of single operations" "${traced[@]}"
    queue "meters for Micrometer" others micrometer .
    queue "the page cache" others micro server .
    queue "recipes for containers" summing src/test/run.sh containers --no-build
    queue "style" summing .ci/style.sh
    run_queue "$lanes"
}

mkdir -p "$LOGS"
case ${1:-} in
    "") EXCLUDED_TAG=load everything ;;
    full) EXCLUDED_TAG='' everything ;;
    quick) quick ;;
    families | next) "$@" ;;
    *) echo "usage: test.sh [full|quick|families|next]" >&2 && exit 2 ;;
esac
finish
