#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Tries frameworks that nobody has changed on Pollux: function under load, the selectors' class, a clean shutdown.
#
#   compatibility/run.sh                          everything on 17, 21, 25 and Debian's newest: writes the page
#   compatibility/run.sh --jdk 25 netty-4.2 mina  these frameworks, on this JDK only
#   JDK_JAVA_OPTIONS=-Ddev.pollux.batch=all compatibility/run.sh --jdk 25       the same with this property
#
# The page is docs/compatibility.md; only a run of everything writes it. Versions stand in pom.xml. A JDK that is not
# installed is fetched: 21 from PyPI, younger ones than 25 from Debian's unstable release (see src/test/next/run.sh).
# What fails runs again with the JDK's selectors; a failure on both counts as skipped. Logs are in */target/logs.
# The last line is "N passed, N failed, N skipped".
set -euo pipefail
cd "$(dirname "$0")/.."

. .ci/setup.sh
. .ci/packages.sh
need javac mvn cc make

ROOT=$PWD/target/next/root
OUT=$PWD/target/compatibility

# of <JDK>: "25.0.3=/path/of/java", as the program wants it. Nothing if there is none.
of() {
    local java
    java=$(installed "$1")
    if [ -z "$java" ] && [ "$1" -le 25 ]; then
        java=$(fetched "$1")
    elif [ -z "$java" ]; then
        unpacked_jdks "$ROOT" >&2
        java=$(echo "$ROOT"/usr/lib/jvm/java-"$1"-openjdk-*/bin/java)
    fi
    [ ! -x "$java" ] ||
        "$java" -XshowSettings:properties -version 2>&1 |
            sed -n "s:^ *java\\.version = \\(.*\\):\\1=$(realpath "$java"):p"
}

# The youngest JDK of Debian's unstable release.
newest() {
    unpacked_jdks "$ROOT" >&2
    find "$ROOT/usr/lib/jvm" -maxdepth 1 -name 'java-[0-9][0-9]-openjdk-*' -printf '%f\n' | cut -d - -f 2 |
        sort -n | tail -n 1
}

jdk='' names=()
while [ $# != 0 ]; do
    case $1 in
        --jdk) jdk=$2; shift ;;
        -*) sed -n '/^# Tries/,/^set/ { /^set/! s/^# \{0,1\}//p }' "$0" >&2; exit 2 ;;
        *) names+=("$1") ;;
    esac
    shift
done
page=-
[ -n "$jdk" ] || [ ${#names[@]} != 0 ] || page=docs/compatibility.md
if [ ${#names[@]} = 0 ]; then
    mapfile -t names < <(sed -n 's:^ *<module>\(.*\)</module>:\1:p' compatibility/pom.xml | grep -v '^trial$')
fi

mvn -q -B -f build/pom.xml -pl "..,../compatibility/trial,$(IFS=, && echo "${names[*]/#/../compatibility/}")" -am \
    -DskipTests -Dmaven.javadoc.skip=true package
mkdir -p "$OUT"
cp target/pollux-*[0-9].jar "$OUT/pollux.jar" # a build in the meantime changes nothing

machines=()
for version in ${jdk:-17 21 25 $(newest)}; do
    machine=$(of "$version")
    if [ -n "$machine" ]; then
        machines+=("$machine")
    else
        echo "There is no JDK $version here" >&2
    fi
done
"$JAVA_HOME/bin/java" -cp compatibility/trial/target/classes dev.pollux.compatibility.Matrix "$OUT/pollux.jar" \
    "$page" "$(IFS=, && echo "${machines[*]}")" "${names[@]/#/$PWD/compatibility/}"
