#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Makes a release as RELEASING.md says, in a copy of the sources at another path and in other surroundings, signed with
# a key that is thrown away. Looks at what Maven Central would look at, compares the jars with those of target, and uses
# the release from Maven and from Gradle, both with an empty local repository.
#
#   run.sh [--all-platforms]
#
#   --all-platforms   the release itself. Without it the jar has the library of this machine alone, which is faster
#
# Gradle is left out where there is none. Closing line: N passed, N failed, N skipped.
set -euo pipefail
cd "$(dirname "$0")/../../.."

. .ci/setup.sh
need javac mvn make cc gpg

PASSED=0 FAILED=0 SKIPPED=0
WORK=$(mktemp -d "${TMPDIR:-/tmp}/pollux release.XXXXXX")
trap 'GNUPGHOME="$WORK/keys" gpgconf --kill all 2>/dev/null; rm -rf "$WORK"' EXIT
COPY=$WORK/sources
LOCK=$PWD/target/maven.lock
goal=all
[ "${1:-}" != --all-platforms ] || goal=all-platforms

# passes <name> <command...>
passes() {
    local name=$1
    shift
    if "$@" >"$WORK/out" 2>&1; then
        echo "ok: $name"
        PASSED=$((PASSED + 1))
    else
        echo "WRONG: $name"
        cat "$WORK/out"
        FAILED=$((FAILED + 1))
    fi
}

# One at a time: Maven's repository is not made for two that fill it.
build() {
    flock "$LOCK" mvn -q -B -ntp -Dmaven.test.skip=true -Dnative.goal=$goal "$@"
}

# Another path, mask, time zone, language and user: none may change a byte. (A mask that forbids others to read does.)
release() (
    cd "$COPY"
    umask 002
    export GNUPGHOME="$WORK/keys" TZ=Asia/Kathmandu LC_ALL=C.UTF-8 LANG=tr_TR.UTF-8
    gpg --batch --quiet --passphrase '' --quick-gen-key 'Thrown away <nobody@localhost>' rsa2048 sign 1d
    build -Prelease -Duser.name=somebody -Dgpg.keyname=nobody@localhost verify
)

complete() {
    local file
    for file in "$NAME".pom "$NAME".jar "$NAME"-sources.jar "$NAME"-javadoc.jar "$NAME"-cyclonedx.json; do
        [ -s "$file" ] || { echo "$file is missing"; return 1; }
    done
}

signed() {
    local file
    for file in "$NAME"*.pom "$NAME"*.jar "$NAME"*.json "$NAME"*.xml; do
        GNUPGHOME="$WORK/keys" gpg --batch --verify "$file.asc" "$file" || return 1
    done
}

summed() {
    local file
    for file in "$NAME"*.pom "$NAME"*.jar "$NAME"*.json "$NAME"*.xml; do
        [ "$(md5sum <"$file" | cut -d ' ' -f 1)" = "$(cat "$file.md5")" ] || return 1
        [ "$(sha1sum <"$file" | cut -d ' ' -f 1)" = "$(cat "$file.sha1")" ] || return 1
    done
}

# What Maven Central wants to see in the POM, and no dependency of those who use it.
described() {
    local element
    for element in name description url licenses developers scm issueManagement; do
        grep -q "^  <$element>" "$NAME.pom" || { echo "no $element"; return 1; }
    done
    python3 - "$NAME-cyclonedx.json" <<'PYTHON'
import json
import sys
bom = json.load(open(sys.argv[1]))
main = bom["metadata"]["component"]
assert (main["group"], main["name"]) == ("dev.pollux", "pollux"), main
assert not bom.get("components"), bom["components"]
PYTHON
}

same_bytes() {
    local file
    for file in "" -sources -javadoc; do
        cmp "target/pollux-$VERSION$file.jar" "$NAME$file.jar" || return 1
    done
}

from_maven() {
    mkdir -p "$WORK/maven/src/main/java"
    cp src/test/release/consumer.xml "$WORK/maven/pom.xml"
    cp src/test/release/App.java "$WORK/maven/src/main/java"
    (cd "$WORK/maven" && MAVEN_OPTS='' mvn -q -B -ntp "-Dmaven.repo.local=$WORK/empty" "-Dstaging=$REPOSITORY" \
        "-Dpollux.version=$VERSION" compile exec:exec) >"$WORK/out.maven" 2>&1
    ran_on_pollux "$WORK/out.maven"
}

from_gradle() {
    mkdir -p "$WORK/gradle/src/main/java"
    cp src/test/release/consumer.gradle "$WORK/gradle/build.gradle"
    cp src/test/release/App.java "$WORK/gradle/src/main/java"
    (cd "$WORK/gradle" && gradle --no-daemon -q -g "$WORK/gradle-home" "-Pstaging=$REPOSITORY" \
        "-Pversion=$VERSION" execute) >"$WORK/out.gradle" 2>&1
    ran_on_pollux "$WORK/out.gradle"
}

ran_on_pollux() {
    cat "$1"
    grep -q '1 by dev.pollux.internal.selector.PolluxSelector$' "$1" && grep -q '^1 by the Poller$' "$1"
}

mkdir -m 700 "$WORK/keys" "$COPY"
cp -r pom.xml LICENSE NOTICE src "$COPY"
if [ $goal = all-platforms ]; then
    build package
fi
VERSION=$(basename target/pollux-*[0-9].jar .jar)
VERSION=${VERSION#pollux-}
NAME=$COPY/target/staging/dev/pollux/pollux/$VERSION/pollux-$VERSION
REPOSITORY=file://${COPY// /%20}/target/staging

passes "mvn -Prelease verify" release
passes "all that Maven Central asks for is there" complete
passes "all of it is signed" signed
passes "all of it has checksums" summed
passes "the POM and the bill of materials say what it is" described
passes "other surroundings give the same bytes" same_bytes
passes "Maven uses it" from_maven
if command -v gradle >/dev/null; then
    passes "Gradle uses it" from_gradle
else
    echo "skipped: there is no Gradle here"
    SKIPPED=1
fi
echo "$PASSED passed, $FAILED failed, $SKIPPED skipped"
[ $FAILED = 0 ]
