# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh disable=SC2154 # $program is set by who sources this
# Sourced by the scripts of the programs, with $program set and their command line in "$@": builds, runs the program and
# draws its plots. The program ping is the class dev.pollux.micro.ping.Main and the script report/ping.py. Other names
# are in $main (a class, and words before the command line) and $report; with an empty $report nothing is drawn. The
# programs in C that it needs are in $native, options of the java command in $options. If $alone is set, $main is no
# measurement and gets the command line alone.
. "$(dirname "$0")/common.sh"
main=${main:-$program.Main}
report=${report-$program}
if [ "${1:-}" = --plot ]; then
    shift
    [ $# -gt 0 ] || { echo "$0: --plot needs files that an earlier run wrote" >&2; exit 2; }
    [ -n "$report" ] || { echo "$0: there is no plot" >&2; exit 2; }
    prepare_matplotlib
    exec "$python" -B "$micro/report/$report.py" "$root/docs" "$@"
fi

[ $help = yes ] || [ -z "$report" ] || prepare_matplotlib
if [ $build = yes ] && [ -n "${native:-}" ]; then
    make -s -C "$root/src/main/native" library OUT="$micro/target/library"
    case " $* " in *' --tls '*) tls=yes ;; esac
    for name in $native; do
        "${CC:-gcc}" -std=c11 -O2 -Wall -Wextra -Wpedantic -Werror -pthread -I"$root/src/main/native" \
            -I"$micro/target/library" "$micro/$name.c" "$micro/target/library/libpollux.a" \
            ${tls:+"$micro/tls.c" -lssl -lcrypto} -o "$micro/target/$name"
    done
fi
export POLLUX_PROGRAMS="$micro/target" POLLUX_LOGS="$micro/target/logs" POLLUX_JAR="$micro/target/pollux.jar"
# Thousands of descriptors: as many as we may have. The programs say so if that is too few.
# shellcheck disable=SC3045 # dash and bash have -S and -H, and this is for Linux
ulimit -S -n "$(ulimit -H -n)"
figures=$micro/results/$program-$(date -u +%Y%m%dT%H%M%SZ)
[ -n "${alone:-}" ] || set -- --json "$figures.json" "$@"
# shellcheck disable=SC2086 # words
"$java" ${options:-} -Dterminal="$([ ! -t 2 ] || echo true)" -cp "$class_path" dev.pollux.micro.$main "$@"
if [ $help = yes ] && [ -z "${alone:-}" ]; then
    printf '%s\n' '' "The script's own options:" \
        '  --jdk DIR        the JDK to run on (default: the java command)' \
        '  --no-build       use what was built before'
    [ -z "$report" ] ||
        echo '  --plot FILE...   draw the plots in docs/ from the figures of earlier runs, and measure nothing'
fi
[ $help = yes ] || [ -z "$report" ] || "$python" -B "$micro/report/$report.py" "$figures" "$figures.json"
