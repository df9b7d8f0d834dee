#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Counts the system calls of single operations with strace, prints them for the JDK's providers and for Pollux's, and
# fails if Pollux makes another number than it promises. The last line is "N passed, N failed".
#   micro/syscalls.sh [--jdk DIR] [--no-build]
set -eu
. "$(dirname "$0")/common.sh"
[ $# = 0 ] || { echo 'usage: micro/syscalls.sh [--jdk DIR] [--no-build]' >&2; exit 2; }

# Newer JDKs warn of a library that is loaded without it.
access=--enable-native-access=ALL-UNNAMED
"$java" $access -version >/dev/null 2>&1 || access=''

# Too few to be taken for a wakeup storm.
few=1000 many=3000
calls=epoll_wait,epoll_pwait,epoll_pwait2,epoll_ctl,poll,ppoll,read,write
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
right=0 wrong=0

# trace PROVIDER OPERATION TIMES: "waits ctls reads+writes" of the whole run. What reads files does not count: the
# virtual machine loads classes, and looks at the limits of its container, whenever it likes.
trace() {
    strace -f --seccomp-bpf -y -e trace=$calls -o "$work/trace" \
        "$java" $access --add-exports java.base/sun.nio.ch=ALL-UNNAMED -cp "$class_path" \
        dev.pollux.micro.bench.SyscallCount "$@"
    awk '$2 ~ /^(epoll_p?wait2?|p?poll)\(/ { waits++ }
         $2 ~ /^epoll_ctl\(/ { ctls++ }
         $2 ~ /^(read|write)\([0-9]+<(pipe|socket|anon_inode|UNIX|TCP)/ { moves++ }
         END { print waits + 0, ctls + 0, moves + 0 }' "$work/trace"
}

# count PROVIDER OPERATION [WAITS CTLS MOVES]: prints calls per operation, compares them if told to
count() {
    before=$(trace "$1" "$2" $few)
    after=$(trace "$1" "$2" $many)
    echo "$1 $2 $before $after $((many - few)) ${3:-} ${4:-} ${5:-}" | awk '
        function off(a, b) { return a - b > 0.02 || b - a > 0.02 }
        function each(many, few) { d = (many - few) / $9; return off(d, 0) ? d : 0 }     # the start varies a little
        { w = each($6, $3); c = each($7, $4); m = each($8, $5)
          bad = NF > 9 && (off(w, $10) || off(c, $11) || off(m, $12))
          printf "%-22s %-34s %6.2f %9.2f %10.2f  %s\n", $2, $1, w, c, m,
              (NF > 9) ? (bad ? "WRONG: should be " $10 ", " $11 ", " $12 : "as promised") : ""
          exit bad }' || { wrong=$((wrong + 1)); return; }
    [ -z "${3:-}" ] || right=$((right + 1))
}

printf '%-22s %-34s %6s %9s %10s\n' operation provider wait epoll_ctl read+write
# operation, then what Pollux promises: waits, epoll_ctl, reads and writes
while read -r operation waits ctls moves; do
    for mechanism in EPoll Poll; do
        count sun.nio.ch.${mechanism}SelectorProvider "$operation"
        count dev.pollux.${mechanism}SelectorProvider "$operation" "$waits" "$ctls" "$moves"
    done
done <<'OPERATIONS'
wakeup-select 1 0 0
select-one 1 0 1
off-on-select 1 0 0
off-select-on-select 2 0 0
OPERATIONS
echo "$right passed, $wrong failed"
[ $wrong = 0 ]
