#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Tries the recipes of docs/containers.md without a container engine: takes the commands and options from that page, and
# runs them in a namespace with a root of its own, read-only, as a user without capabilities, under a filter of system
# calls. Needs Linux, root, and target/pollux-<version>.jar; else it is skipped. The last line is
# "N passed, N failed, N skipped".
set -euo pipefail
cd "$(dirname "$0")/../../.."

. .ci/setup.sh

if [ "${1:-}" != inside ]; then
    need javac cc
    dir=$(mktemp -d "${TMPDIR:-/tmp}/pollux-containers.XXXXXX")
    trap 'rm -rf "$dir"' EXIT
    # shellcheck disable=SC2016 # the folder is an argument of the inner shell
    if ! unshare --mount --pid --fork sh -c 'mount -t proc proc /proc && mount -t tmpfs tmpfs "$1" &&
            chroot / setpriv --reuid 10001 --clear-groups --no-new-privs true' - "$dir" 2>/dev/null; then
        echo "skipped: this user or sandbox may not make namespaces, or not mount, or not change the user"
        echo "0 passed, 0 failed, 1 skipped"
        exit
    fi
    # All that is mounted from here on goes with the namespace.
    unshare --mount --propagation private "$0" inside "$dir"
    exit
fi

dir=$2
image=$dir/image
passed=0 failed=0 skipped=0

# What the application says when it has served its request.
ON_POLLUX='^selector dev\.pollux\..*\[epoll,'

# What Docker's documentation names as denied by default, to a container without capabilities.
DENIED=(acct add_key bpf clock_adjtime clock_settime clone clone3 create_module delete_module finit_module
    get_kernel_syms get_mempolicy init_module io_uring_enter io_uring_register io_uring_setup ioperm iopl kcmp
    kexec_file_load kexec_load keyctl lookup_dcookie mbind mount move_pages nfsservctl open_by_handle_at perf_event_open
    personality pivot_root process_vm_readv process_vm_writev ptrace query_module quotactl reboot request_key
    set_mempolicy setns settimeofday stime swapoff swapon sysfs _sysctl umount umount2 unshare uselib userfaultfd ustat
    vm86 vm86old)

# recipe <language>: the page's examples in that language.
recipe() {
    sed -n "/^\`\`\`$1\$/,/^\`\`\`\$/{/^\`\`\`/!p}" docs/containers.md
}

# ok <sentence> | wrong <sentence> <output>
ok() {
    passed=$((passed + 1))
    echo "ok: $1"
}

wrong() {
    failed=$((failed + 1))
    echo "WRONG: $1"
    echo "$2"
}

# says <sentence> <pattern> <command...>: succeeds and prints that. refuses: fails and prints it.
says() {
    local out status=0
    out=$("${@:3}" 2>&1) || status=$?
    if [ $status = 0 ] && grep -qE -- "$2" <<<"$out"; then ok "$1"; else wrong "$1" "exit code $status: $out"; fi
}

refuses() {
    local out status=0
    out=$("${@:3}" 2>&1) || status=$?
    if [ $status != 0 ] && grep -qE -- "$2" <<<"$out"; then ok "$1"; else wrong "$1" "exit code $status: $out"; fi
}

# A small Debian: this machine's programs, and the files of the recipes.
make_image() {
    local file
    mkdir "$image"
    mount -t tmpfs -o mode=755 tmpfs "$image"
    mkdir -p "$image"/{usr,etc,proc,dev,tmp,filter,pollux,app,opt/app,opt/pollux}
    chmod 1777 "$image/tmp"
    for file in bin lib lib64 sbin; do
        [ ! -e "/$file" ] || ln -s "usr/$file" "$image/$file"
    done
    mount --bind -o ro /usr "$image/usr"
    mount --bind -o ro /etc "$image/etc"
    for file in null zero random urandom; do
        : >"$image/dev/$file"
        mount --bind "/dev/$file" "$image/dev/$file"
    done
    cp target/pollux-*[0-9].jar "$image/opt/pollux/pollux.jar"
    javac --release 17 -Xlint:all -Werror -cp "$image/opt/pollux/pollux.jar" -d "$dir/classes" \
        src/test/containers/*.java
    "$JAVA_HOME/bin/jar" --create --file "$image/app/app.jar" --main-class App -C "$dir/classes" .
    cp "$image/app/app.jar" "$image/opt/app/app.jar"
    # The volume that Kubernetes calls emptyDir.
    mount -t tmpfs -o mode=777 tmpfs "$image/pollux"
    make_filter
}

make_filter() {
    echo '#include <sys/syscall.h>' | cc -E -dM - | sed -nE 's/^#define SYS_(\w+) .*/CALL(\1)/p' >"$dir/calls.h"
    cc -std=c11 -D_GNU_SOURCE -O2 -Wall -Wextra -Wpedantic -Werror -I"$dir" -o "$image/filter/filter" \
        src/test/containers/filter.c
    # A mount of its own: it can be run even where the root permits no execution.
    mount --bind "$image/filter" "$image/filter"
}

# in_image <root> <options of /tmp, or none> <volume> <user> <command...>: runs it as process 1. Root and volume are
# "ro" or "rw", or any options of mount. User 0 keeps all rights, as when an image is built.
in_image() {
    # shellcheck disable=SC2016 # these are the inner shell's
    timeout -k 5 100 unshare --mount --pid --fork --kill-child sh -euc '
        image=$1 root=$2 tmp=$3 volume=$4 user=$5
        shift 5
        mount -t proc proc "$image/proc"
        [ "$tmp" = none ] || mount -t tmpfs -o "mode=1777,$tmp" tmpfs "$image/tmp"
        mount -o "remount,bind,$volume" "$image/pollux"
        mount -o "remount,bind,$root" "$image"
        cd /
        [ "$user" != 0 ] || exec chroot "$image" "$@"
        exec chroot "$image" /usr/bin/setpriv --reuid "$user" --regid "$user" --clear-groups --bounding-set=-all \
            --inh-caps=-all --no-new-privs "$@"' - "$image" "$1" "$2" "$3" "$4" \
        env -i "PATH=$home/bin:/usr/bin:/bin" "${@:5}"
}

# As Kubernetes' securityContext has it on the page, and worse: /tmp permits no execution.
hardened() {
    in_image ro noexec ro 10001 /filter/filter deny "${DENIED[@]}" -- "$@"
}

# calls_of <@group>: the system calls that systemd means by it.
calls_of() {
    local name
    systemd-analyze --no-pager syscall-filter "$1" | sed '1d; s/#.*//' | while read -r name; do
        case $name in
            "") ;;
            @*) calls_of "$name" ;;
            *) echo "$name" ;;
        esac
    done
}

# The control group of this test: none of the recipes would prove anything in a container that forbids nothing.
try_the_container() {
    says "the user has no capability, and can get none" "^2$" \
        hardened grep -cE '^Cap(Eff|Bnd):[[:blank:]]*0{16}$' /proc/self/status
    says "and a filter of system calls" "^Seccomp:[[:blank:]]*2$" hardened cat /proc/self/status
    refuses "which forbids namespaces" "Operation not permitted" hardened unshare --user true
    refuses "the root is read-only" "Read-only file system" hardened touch /app/file
    refuses "/tmp permits no execution" "Permission denied" hardened sh -c 'cp /bin/true /tmp/true && /tmp/true'
}

try_docker() {
    local options extract
    extract=$(recipe dockerfile | sed -n 's/^RUN \(java .*\)/\1/p')
    options=$(recipe dockerfile | sed -n 's/^ENV JAVA_TOOL_OPTIONS="\(.*\)"$/\1/p')
    rm -f "$image"/opt/pollux/*.so
    refuses "JDK $1: without the library, Pollux says what to do" "extract DIR" \
        hardened java -javaagent:/opt/pollux/pollux.jar -jar /app/app.jar
    refuses "JDK $1: also where nothing is writable" "did not take the library" \
        in_image ro none ro 10001 java -javaagent:/opt/pollux/pollux.jar -jar /app/app.jar
    says "JDK $1: a writable folder will do" "$ON_POLLUX" \
        in_image ro exec ro 10001 java -javaagent:/opt/pollux/pollux.jar -jar /app/app.jar
    says "JDK $1: dev.pollux.tmpdir names another one" "$ON_POLLUX" \
        in_image ro noexec rw 10001 java -Ddev.pollux.tmpdir=/pollux -javaagent:/opt/pollux/pollux.jar -jar /app/app.jar
    says "JDK $1: Dockerfile: the library is extracted" "wrote /opt/pollux/" in_image rw rw rw 0 sh -c "$extract"
    says "JDK $1: Dockerfile and securityContext: a server runs on Pollux" "$ON_POLLUX" \
        hardened env "JAVA_TOOL_OPTIONS=$options" java -jar /app/app.jar
    says "JDK $1: it does so where nothing is writable" "$ON_POLLUX" \
        in_image ro none ro 10001 env "JAVA_TOOL_OPTIONS=$options" java -jar /app/app.jar
    says "JDK $1: an InterruptServer runs on epoll, and says why" " on epoll: .*no io_uring" \
        hardened java -Ddev.pollux.library.path=/opt/pollux -cp /app/app.jar:/opt/pollux/pollux.jar Interrupts
    says "JDK $1: check has nothing to complain of" " 0 failed," \
        hardened env "JAVA_TOOL_OPTIONS=$options" java -jar /opt/pollux/pollux.jar check
}

try_volume() {
    local command value
    command=$(recipe yaml | sed -n 's/^ *command: \["sh", "-c", "\(.*\)"\]$/\1/p')
    value=$(recipe yaml | sed -n 's/^ *value: "\(.*\)"$/\1/p')
    rm -f "$image"/pollux/*
    says "JDK $1: the init container fills the volume" "wrote /pollux/" \
        in_image ro noexec rw 10001 /filter/filter deny "${DENIED[@]}" -- sh -c "$command"
    says "JDK $1: the application of another user runs with it" "$ON_POLLUX" \
        in_image ro noexec ro 10002 /filter/filter deny "${DENIED[@]}" -- \
        env "JAVA_TOOL_OPTIONS=$value" java -jar /app/app.jar
    says "JDK $1: and the JVM warns of nothing" "^0$" \
        hardened env "JAVA_TOOL_OPTIONS=$value" sh -c 'java -jar /app/app.jar 2>&1 | grep -c WARNING || true'
}

try_systemd() {
    local options calls paths path
    if ! command -v systemd-analyze >/dev/null; then
        skipped=$((skipped + 1))
        echo "skipped: no systemd-analyze, which knows what the unit's system calls are"
        return
    fi
    recipe ini >"$dir/app.service"
    says "JDK $1: systemd finds nothing wrong with the unit" "^\$" env LC_ALL=C \
        systemd-analyze verify --man=no "$dir/app.service"
    options=$(recipe ini | sed -n 's/^Environment="JAVA_TOOL_OPTIONS=\(.*\)"$/\1/p')
    mapfile -t calls < <(calls_of "$(recipe ini | sed -n 's/^SystemCallFilter=//p')" && calls_of @default)
    paths=$(recipe ini | sed -n 's/^ExecPaths=//p')
    refuses "JDK $1: a library outside of ExecPaths is refused, with the reason" "noexec" \
        in_image ro,noexec noexec ro 10001 /filter/filter allow "${calls[@]}" -- \
        env "JAVA_TOOL_OPTIONS=$options" java -jar /opt/app/app.jar
    for path in $paths; do
        mount --bind "$image$path" "$image$path"
    done
    says "JDK $1: ExecPaths, SystemCallFilter and the rest of the unit: a server runs" "$ON_POLLUX" \
        in_image ro,noexec noexec ro 10001 /filter/filter allow "${calls[@]}" -- \
        env "JAVA_TOOL_OPTIONS=$options" java -jar /opt/app/app.jar
    for path in $paths; do
        umount "$image$path"
    done
}

make_image
home=$JAVA_HOME
if ! in_image ro noexec ro 10001 /filter/filter deny -- true; then
    echo "skipped: filters of system calls are refused here"
    echo "0 passed, 0 failed, 1 skipped"
    exit
fi
try_the_container
for version in 17 25; do
    java=$(installed $version)
    case $java in
        /usr/*)
            home=$(dirname "$(dirname "$java")")
            try_docker $version
            try_volume $version
            try_systemd $version
            ;;
        *)
            skipped=$((skipped + 1))
            echo "skipped: no JDK $version below /usr, which is all that the image has"
            ;;
    esac
done
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed = 0 ]
