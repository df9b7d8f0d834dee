#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Runs a program that tries Pollux as a whole: the class of that name, whose Javadoc has the arguments. What it needs is
# built before, and installed if that is permitted (Debian packages), else named.
#
#   src/test/run.sh NAME [--no-build] [argument...]
#
#   --no-build   what is in target is used as it is
#
# The last line is "N passed, N failed, N skipped".
set -euo pipefail
cd "$(dirname "$0")/../.."

. .ci/setup.sh

name=${1:-} build=yes
[ "${2:-}" != --no-build ] || build=no
shift $(($# == 0 ? 0 : 1))
[ $build = yes ] || shift
case $name in
    compatibility) folder=compatibility/program ;;
    installed) folder=src/test/native/installed ;;
    jtreg | openjdk) folder=jtreg-tests/openjdk ;;
    libraries) folder=src/test/foreign ;;
    mutants | stress) folder=stress/program ;;
    peers) folder=compatibility/peers ;;
    *) folder=src/test/$name ;;
esac
class=$(find "$folder" -iname "$name.java" -printf '%f' 2>/dev/null || true)
[ -n "$class" ] || { echo "run.sh: there is no program \"$name\"" >&2; exit 2; }
need javac mvn cc make

# package <what Maven's -pl names> [option...]
package() {
    [ $build = no ] || ARTIFACTS=$1 artifacts -q -DskipTests "${@:2}" package
}

path=
case $name in
    exact | faults | insight)
        need strace
        package ..,../tools,../micro -Dmaven.javadoc.skip
        path="micro/target/classes:micro/target/lib/*"
        ;;
    installed) need pkg-config ;;
    mutants | stress) package ..,../stress -Dmaven.javadoc.skip ;;
    peers)
        package .. -Dmaven.javadoc.skip
        mkdir -p target/peers
        cp "$(jar)" target/peers/pollux.jar # a build in the meantime changes nothing
        set -- "$PWD/$folder/pom.xml" "$PWD/target/peers" "$@"
        ;;
    release)
        need gpg
        package "$ARTIFACTS"
        ;;
    containers | jtreg | openjdk | sanitized | soak)
        package "$ARTIFACTS" -Dmaven.javadoc.skip
        path=target/classes:server/target/classes
        ;;
esac
out=target/programs/$name
rm -rf "$out" && mkdir -p "$out"
if [ "$name" = insight ]; then
    mvn -q -B -f src/test/insight/pom.xml dependency:build-classpath -Dmdep.outputFile="$PWD/$out.path"
    path=$path:$(cat "$out.path")
fi
"$JAVA_HOME/bin/javac" --release 17 -Xlint:all,-classfile,-try -proc:none -Werror -cp "$path" -d "$out" \
    .ci/java/*.java "$folder"/*.java
exec "$JAVA_HOME/bin/java" -cp "$out:$path" "${class%.java}" "$@"
