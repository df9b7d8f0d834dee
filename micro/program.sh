# SPDX-License-Identifier: Apache-2.0
# Sourced by the scripts of the programs, with $program set (servers: dev.pollux.micro.programs.servers.Main,
# report/servers.py) and their command line in "$@": builds, runs the program, draws its plots. If $main is set that
# class is run instead, which measures nothing that could be drawn.
main=${main:-Main}
micro=$(cd "$(dirname "$0")" && pwd)
root=$(dirname "$micro")
java=java
build=yes
help=no
. "$micro/matplotlib.sh"

if [ "${1:-}" = --plot ]; then
    shift
    [ $# -gt 0 ] || { echo "$0: --plot needs files that an earlier run wrote" >&2; exit 2; }
    prepare_matplotlib
    exec "$python" -B "$micro/report/$program.py" "$root/docs" "$@"
fi

# Our own options go, the rest is passed on.
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

[ $help = yes ] || [ "$main" != Main ] || prepare_matplotlib
programs=$micro/programs
if [ $build = yes ]; then
    (cd "$root" && mvn -q -B -DskipTests package)
    . "$micro/classpath.sh"
    mkdir -p "$programs/target"
    # A copy, so that a build in the meantime changes nothing.
    cp "$pollux" "$programs/target/pollux.jar"
    (cd "$programs" && mvn -q -B process-classes)
fi

# Thousands of descriptors: as many as we may have. The programs say so if that is too few.
ulimit -S -n "$(ulimit -H -n)"
class_path="$programs/target/classes:$programs/target/lib/*:$programs/target/pollux.jar"
if [ "$main" != Main ]; then
    exec "$java" -cp "$class_path" "dev.pollux.micro.programs.$program.$main" "$@"
fi
terminal=false
[ ! -t 2 ] || terminal=true
figures=$micro/results/$program-$(date -u +%Y%m%dT%H%M%SZ)
"$java" -Dterminal=$terminal -cp "$class_path" \
    "dev.pollux.micro.programs.$program.Main" --json "$figures.json" "$@"
[ $help = yes ] || "$python" -B "$micro/report/$program.py" "$figures" "$figures.json"
