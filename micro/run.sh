#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds Pollux and what measures it, and runs one of the programs: see README.md here.
#
#   micro/run.sh [PROGRAM] [--jdk DIR] [--no-build] [option...]   the program bench unless named; --help names all
#   micro/run.sh [PROGRAM] --plot FILE...                         draws the plots in docs/ from figures of earlier runs
set -eu
micro=$(cd "$(dirname "$0")" && pwd)
root=$(dirname "$micro")
target=$micro/target
program=bench java=java build=yes help=no

case ${1:-} in
    '' | quick | full | --[!h]*) ;;
    *) program=$1; shift ;;
esac
left=$#
while [ "$left" -gt 0 ]; do
    case $1 in
        --jdk)
            java=${2:?"--jdk needs a directory"}/bin/java
            shift
            left=$((left - 1)) ;;
        --no-build) build=no ;;
        --help) help=yes; set -- "$@" --help ;;
        *) set -- "$@" "$1" ;;
    esac
    shift
    left=$((left - 1))
done

# What draws the figures, in a python3 with Matplotlib and an environment of its own. It is made before anything is
# measured, so that what is missing is noticed before the hour, not after.
case $program in
    interrupt | cache) report=$micro/report/servers.py ;;
    loops) report=$micro/report/screen.py ;;
    *) report=$micro/report/$program.py ;;
esac
python=$target/report/bin/python
if [ -f "$report" ] && [ $help = no ] && ! "$python" -c 'import matplotlib, pyte, rich' 2>/dev/null; then
    mkdir -p "$target"
    python3 -m venv "$target/report" || { echo "$0: needs python3 with its venv module" >&2; exit 1; }
    "$python" -m pip install --quiet --disable-pip-version-check -r "$micro/report/requirements.txt"
fi
if [ "${1:-}" = --plot ]; then
    shift
    [ -f "$report" ] || { echo "$0: there is no plot of $program" >&2; exit 2; }
    exec "$python" -B "$report" "$root/docs" "$@"
fi

if [ $build = yes ]; then
    mvn -q -B -f "$root/build/pom.xml" -pl ../micro -am -DskipTests -Dmaven.javadoc.skip package
    make -s -C "$root/src/main/native" library OUT="$target/library"
    case " $* " in *' --tls '*) tls=yes ;; esac
    for name in floor load arena; do
        "${CC:-gcc}" -std=c11 -O2 -Wall -Wextra -Wpedantic -Werror -pthread -I"$root/src/main/native" \
            -I"$target/library" "$micro/$name.c" "$target/library/libpollux.a" \
            ${tls:+"$micro/tls.c" -lssl -lcrypto} -o "$target/$name"
    done
fi
[ -f "$target/pollux/pollux.jar" ] || { echo "$0: nothing is built; run it without --no-build" >&2; exit 1; }

# compile <name> <class path> <source>: what Maven does not compile, for the JDK that runs it.
class_path="$target/classes:$target/lib/*"
javac=$(dirname "$(readlink -f "$(command -v "$java")")")/javac
compile() {
    "$javac" -proc:none -cp "$class_path$2" -d "$target/$1" "$3"
    class_path="$class_path:$target/$1$2"
}

# Unmodified servers have Pollux on one side only.
case $program in apps | calls) ;; *) class_path="$class_path:$target/pollux/*" ;; esac
case $program in
    calls | interrupt)  # Helidon's classes are for Java 21, which the compiler of the build cannot read.
        [ "$("$javac" -version 2>&1 | sed -n 's/^javac \([0-9]*\).*/\1/p')" -lt 21 ] ||
            compile helidon '' "$micro/helidon/HelidonApplication.java" ;;
    redis)              # The page's example.
        compile redis '' "$root/docs/examples/Redis.java" ;;
esac
case "$program $*" in
    calls*kafka*)       # Kafka's broker, with what it needs, is fetched for those who ask for it.
        [ -d "$target/kafka/lib" ] ||
            mvn -q -B -f "$micro/kafka/pom.xml" dependency:copy-dependencies "-DoutputDirectory=$target/kafka/lib"
        compile kafka ":$target/kafka/lib/*" "$micro/kafka/KafkaApplication.java" ;;
esac

figures=$micro/results/$program-$(date -u +%Y%m%dT%H%M%SZ)
export POLLUX_PROGRAMS="$target" POLLUX_LOGS="$target/logs" POLLUX_JAR="$target/pollux/pollux.jar" \
    POLLUX_FIGURES="$figures.json" POLLUX_REPORT="$micro/report" POLLUX_PYTHON="$python" POLLUX_DOCS="$root/docs"
POLLUX_TOOLS=$(find "$root/tools/target" -maxdepth 1 -name 'pollux-tools-*[0-9].jar' 2>/dev/null || true)
export POLLUX_TOOLS
# Thousands of descriptors: as many as we may have. The programs say so if that is too few.
# shellcheck disable=SC3045 # dash and bash have -S and -H, and this is for Linux
ulimit -S -n "$(ulimit -H -n)"
# JMH 1.37 uses what newer JDKs warn of.
quiet=--sun-misc-unsafe-memory-access=allow
"$java" $quiet -version >/dev/null 2>&1 || quiet=
"$java" $quiet --add-exports=java.base/sun.nio.ch=ALL-UNNAMED -Dterminal="$([ ! -t 2 ] || echo true)" \
    -cp "$class_path" dev.pollux.micro.Main "$program" "$@"
[ ! -f "$figures.json" ] || [ ! -f "$report" ] || "$python" -B "$report" "$figures" "$figures.json"
