# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh disable=SC2154 # $program is set by who sources this
# Sourced by the scripts of the programs, with $program set and their command line in "$@": builds, runs the program and
# draws its plots. The program servers is the class dev.pollux.micro.servers.Main and the script report/servers.py.
# If $main is set that class is run instead, and nothing is drawn.
main=${main:-Main}
micro=$(cd "$(dirname "$0")" && pwd)
. "$micro/matplotlib.sh"

if [ "${1:-}" = --plot ]; then
    shift
    [ $# -gt 0 ] || { echo "$0: --plot needs files that an earlier run wrote" >&2; exit 2; }
    prepare_matplotlib
    exec "$python" -B "$micro/report/$program.py" "$(dirname "$micro")/docs" "$@"
fi

. "$micro/common.sh"
[ $help = yes ] || [ "$main" != Main ] || prepare_matplotlib
# Thousands of descriptors: as many as we may have. The programs say so if that is too few.
# shellcheck disable=SC3045 # dash and bash have -S and -H, and this is for Linux
ulimit -S -n "$(ulimit -H -n)"
if [ "$main" != Main ]; then
    exec "$java" -cp "$class_path" "dev.pollux.micro.$program.$main" "$@"
fi
terminal=false
[ ! -t 2 ] || terminal=true
figures=$micro/results/$program-$(date -u +%Y%m%dT%H%M%SZ)
"$java" -Dterminal=$terminal -cp "$class_path" "dev.pollux.micro.$program.Main" --json "$figures.json" "$@"
[ $help = yes ] || "$python" -B "$micro/report/$program.py" "$figures" "$figures.json"
