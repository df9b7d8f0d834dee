#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Packs what tests Pollux on another system: the jar for all platforms, the tests, JUnit.
#
#   src/test/portable/pack.sh                 leaves the folder target/portable, and target/portable.tar
#   src/test/portable/pack.sh --this-machine  the same with the plain build's jar, for this system alone
#
# On the other system: unpack it, and java -cp "portable/lib/*" dev.pollux.portable.Main there. It needs a Java runtime
# and nothing else; options of the VM may follow.
set -euo pipefail
cd "$(dirname "$0")/../../.."

. .ci/setup.sh
. .ci/junit.sh
need javac mvn cc make

OUT=target/portable
case ${1:-} in
    --this-machine) set -- ;;
    *) need pip cargo && set -- -Pall-platforms ;;
esac
artifacts -q -DskipTests -Dmaven.javadoc.skip -Dmaven.source.skip "$@" package
rm -rf "$OUT"
mkdir -p "$OUT/lib"
cp "$(jar)" "$OUT/lib/pollux.jar"
cp "$(jar server)" "$OUT/lib/pollux-server.jar"
cp "$(jar tools)" "$OUT/pollux-tools.jar"
"$JAVA_HOME/bin/jar" cf "$OUT/lib/tests.jar" -C target/test-classes . -C server/target/test-classes .
libraries | tr : '\n' | grep . | sort -u | xargs -I '{}' cp '{}' "$OUT/lib"
tar -C target -cf "$OUT.tar" portable
