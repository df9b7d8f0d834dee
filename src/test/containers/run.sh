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
need javac cc

skip() {
    echo "skipped: $1"
    echo "0 passed, 0 failed, 1 skipped"
    exit
}

if [ "${1:-}" != inside ]; then
    dir=$(mktemp -d "${TMPDIR:-/tmp}/pollux-containers.XXXXXX")
    trap 'rm -rf "$dir"' EXIT
    # shellcheck disable=SC2016 # the folder is an argument of the inner shell
    unshare --mount --pid --fork sh -c 'mount -t proc proc /proc && mount -t tmpfs tmpfs "$1" &&
        chroot / setpriv --reuid 10001 --clear-groups --no-new-privs true' - "$dir" 2>/dev/null ||
        skip "this user or sandbox may not make namespaces, or not mount, or not change the user"
    # All that is mounted from here on goes with the namespace.
    unshare --mount --propagation private "$0" inside "$dir"
    exit
fi

dir=$2
image=$dir/image

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
    cp "$(jar)" "$image/opt/pollux/pollux.jar"
    cp "$(jar server)" "$image/opt/pollux/pollux-server.jar"
    cp "$(jar tools)" "$image/opt/pollux/pollux-tools.jar"
    javac --release 17 -Xlint:all -Werror -cp "$image/opt/pollux/*" -d "$dir/application" \
        src/test/containers/application/*.java
    "$JAVA_HOME/bin/jar" --create --file "$image/app/app.jar" --main-class App -C "$dir/application" .
    cp "$image/app/app.jar" "$image/opt/app/app.jar"
    # The volume that Kubernetes calls emptyDir.
    mount -t tmpfs -o mode=777 tmpfs "$image/pollux"
}

make_filter() {
    echo '#include <sys/syscall.h>' | cc -E -dM - | sed -nE 's/^#define SYS_(\w+) .*/CALL(\1)/p' >"$dir/calls.h"
    cc -std=c11 -D_GNU_SOURCE -O2 -Wall -Wextra -Wpedantic -Werror -I"$dir" -o "$image/filter/filter" \
        src/test/containers/filter.c
    # A mount of its own: it can be run even where the root permits no execution.
    mount --bind "$image/filter" "$image/filter"
}

make_image
make_filter
src/test/containers/in-image.sh "$image" ro noexec ro 10001 /filter/filter deny -- true ||
    skip "filters of system calls are refused here"
program "$dir/classes" src/test/containers Containers "$image" "17=$(installed 17)" "25=$(installed 25)"
