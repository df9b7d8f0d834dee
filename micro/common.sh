# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh disable=SC2034 # what is set here is for the scripts that source it
# Sourced by the scripts here, with their command line in "$@". Takes --jdk and --no-build out of it, and builds, unless
# it begins with --plot. Leaves $micro, $root, $java, $build, $help, $without_pollux and $class_path.
# Does nothing the second time.
[ -z "${class_path:-}" ] || return 0
micro=$(cd "$(dirname "$0")" && pwd)
root=$(dirname "$micro")
java=java
build=yes
help=no

left=$#
while [ "$left" -gt 0 ]; do
    case $1 in
        --jdk)
            [ "$left" -gt 1 ] || { echo "$0: --jdk needs a directory" >&2; exit 2; }
            java=$2/bin/java
            shift
            left=$((left - 1)) ;;
        --no-build) build=no ;;
        --help) help=yes; set -- "$@" --help ;;
        *) set -- "$@" "$1" ;;
    esac
    shift
    left=$((left - 1))
done

# Leaves a python3 that has Matplotlib, in an environment of its own, in $python. Called before anything is measured, so
# that what is missing is noticed before the hour, not after.
prepare_matplotlib() {
    python=$micro/target/report/bin/python
    if ! "$python" -c 'import matplotlib, pyte, rich' 2>/dev/null; then
        mkdir -p "$micro/target"
        python3 -m venv "$micro/target/report" || { echo "$0: needs python3 with its venv module" >&2; exit 1; }
        "$python" -m pip install --quiet --disable-pip-version-check -r "$micro/report/requirements.txt"
    fi
}

# Helidon's classes are for Java 21, which the compiler of the build cannot read. Leaves $javac.
add_helidon() {
    javac=$(dirname "$(readlink -f "$(command -v "$java")")")/javac
    if [ "$("$javac" -version 2>&1 | sed -n 's/^javac \([0-9]*\).*/\1/p')" -ge 21 ]; then
        "$javac" -proc:none -cp "$class_path" -d "$micro/target/helidon" "$micro/helidon/HelidonApplication.java"
        class_path=$class_path:$micro/target/helidon
    fi
}

without_pollux="$micro/target/classes:$micro/target/lib/*"
class_path=$without_pollux:$micro/target/pollux.jar
[ "${1:-}" != --plot ] || return 0
[ $build = no ] || "$micro/build.sh"
[ -f "$micro/target/pollux.jar" ] || { echo "$0: nothing is built; run it without --no-build" >&2; exit 1; }
