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
. .ci/stages.sh
need javac mvn make cc gpg

LOGS=target/release-logs # not those of test.sh, which may be running this
WORK=$(mktemp -d "${TMPDIR:-/tmp}/pollux release.XXXXXX")
trap 'GNUPGHOME="$WORK/keys" gpgconf --kill all 2>/dev/null; rm -rf "$WORK"' EXIT
COPY=$WORK/sources
LOCK=$PWD/target/maven.lock
goal=all
[ "${1:-}" != --all-platforms ] || goal="all-platforms"

# One at a time: Maven's repository is not made for two that fill it.
build() {
    flock "$LOCK" mvn -q -B -ntp -f build/pom.xml -pl ".,$ARTIFACTS" -DskipTests -Dnative.goal=$goal "$@"
}

# Another path, mask, time zone, language and user: none may change a byte. (A mask that forbids others to read does.)
release() (
    cd "$COPY"
    umask 002
    export GNUPGHOME="$WORK/keys" TZ=Asia/Kathmandu LC_ALL=C.UTF-8 LANG=tr_TR.UTF-8
    gpg --batch --quiet --passphrase '' --quick-gen-key 'Thrown away <nobody@localhost>' rsa2048 sign 1d
    build -Prelease -Duser.name=somebody -Dgpg.keyname=nobody@localhost verify
)

# staged <artifact>: the beginning of its files' names.
staged() {
    echo "$COPY/target/staging/dev/pollux/$1/$VERSION/$1-$VERSION"
}

complete() {
    local artifact name file
    [ -s "$(staged pollux-parent).pom" ] || { echo "the parent is missing"; return 1; }
    for artifact in "${NAMES[@]}"; do
        name=$(staged "$artifact")
        for file in "$name".pom "$name".jar "$name"-sources.jar "$name"-javadoc.jar "$name"-cyclonedx.json; do
            [ -s "$file" ] || { echo "$file is missing"; return 1; }
        done
    done
}

signed() {
    local file
    for file in "$COPY"/target/staging/dev/pollux/*/"$VERSION"/*.{pom,jar,json,xml}; do
        GNUPGHOME="$WORK/keys" gpg --batch --verify "$file.asc" "$file" || return 1
    done
}

summed() {
    local file
    for file in "$COPY"/target/staging/dev/pollux/*/"$VERSION"/*.{pom,jar,json,xml}; do
        [ "$(md5sum <"$file" | cut -d ' ' -f 1)" = "$(cat "$file.md5")" ] || return 1
        [ "$(sha1sum <"$file" | cut -d ' ' -f 1)" = "$(cat "$file.sha1")" ] || return 1
    done
}

# What Maven Central wants to see in the POM or its parent's, and no dependency of those who use the selector.
described() {
    local element
    for element in name description url licenses developers scm issueManagement; do
        grep -q "^  <${element}[ >]" "$(staged pollux-parent).pom" || { echo "no $element"; return 1; }
    done
    python3 -c 'import json, sys; bom = json.load(open(sys.argv[1])); main = bom["metadata"]["component"]
assert (main["group"], main["name"]) == ("dev.pollux", "pollux") and not bom.get("components"), bom' \
        "$(staged pollux)-cyclonedx.json"
}

same_bytes() {
    local file
    for file in "" -sources -javadoc; do
        cmp "target/pollux-$VERSION$file.jar" "$(staged pollux)$file.jar" || return 1
        cmp "server/target/pollux-server-$VERSION$file.jar" "$(staged pollux-server)$file.jar" || return 1
        cmp "tools/target/pollux-tools-$VERSION$file.jar" "$(staged pollux-tools)$file.jar" || return 1
    done
}

from_maven() {
    used maven pom.xml consumer.xml env MAVEN_OPTS= mvn -q -B -ntp "-Dmaven.repo.local=$WORK/empty" \
        "-Dstaging=$REPOSITORY" "-Dpollux.version=$VERSION" compile exec:exec
}

from_gradle() {
    used gradle build.gradle consumer.gradle gradle --no-daemon -q -g "$WORK/gradle-home" "-Pstaging=$REPOSITORY" \
        "-Pversion=$VERSION" execute
}

# used <folder> <build file> <where it is here> <command...>: builds and runs App there.
used() {
    local folder=$WORK/$1
    mkdir -p "$folder/src/main/java"
    cp "src/test/release/$3" "$folder/$2"
    cp src/test/release/App.java "$folder/src/main/java"
    (cd "$folder" && "${@:4}") >"$folder.out" 2>&1
    cat "$folder.out"
    grep -q '1 by dev.pollux.internal.selector.PolluxSelector$' "$folder.out" &&
        grep -q '^1 by the Poller$' "$folder.out" && grep -q '^1 by the StreamServer$' "$folder.out"
}

mkdir -m 700 "$WORK/keys" "$COPY"
cp -r pom.xml build LICENSE NOTICE src "$COPY"
for folder in server tools micrometer micro stress; do
    mkdir "$COPY/$folder"
    cp -r $folder/pom.xml $folder/src "$COPY/$folder"
done
for file in compatibility/pom.xml compatibility/*/pom.xml; do # the reactor reads them
    mkdir -p "$COPY/$(dirname "$file")"
    cp "$file" "$COPY/$file"
done
[ $goal != all-platforms ] || build package
VERSION=$(basename "$(jar)" .jar)
VERSION=${VERSION#pollux-}
NAMES=(pollux pollux-server pollux-tools pollux-micrometer)
REPOSITORY=file://${COPY// /%20}/target/staging

all_checks() {
    check "mvn -f build/pom.xml -Prelease verify" release
    check "all that Maven Central asks for is there" complete
    check "all of it is signed" signed
    check "all of it has checksums" summed
    check "the POM and the bill of materials say what it is" described
    check "other surroundings give the same bytes" same_bytes
    check "Maven uses it" from_maven
    if command -v gradle >/dev/null; then
        check "Gradle uses it" from_gradle
    else
        skipped_because "there is no Gradle here"
    fi
}

mkdir -p "$LOGS"
stage "a release, and those who use it" all_checks
finish
