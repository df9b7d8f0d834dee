#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A byte runs round a ring of pipes, in C and in Java, by each way of waiting for it: see README.md here.
set -eu
program=ring
micro=$(cd "$(dirname "$0")" && pwd)
native=$(dirname "$micro")/src/main/native
target=$micro/target

build=yes
for word; do
    case $word in
        --no-build | --plot | --help) build=no ;;
    esac
done
if [ $build = yes ]; then
    make -s -C "$native" library OUT="$target/library"
    "${CC:-gcc}" -std=c11 -O2 -Wall -Wextra -Wpedantic -Werror -pthread -I"$target/library" "$micro/ring.c" \
        "$target/library/libpollux.a" -o "$target/ring"
fi
export POLLUX_RING="$target/ring"
. "$micro/program.sh"
