# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh disable=SC2154 # $micro is set by who sources this
# Sourced by interrupt.sh, cache.sh and calls.sh with $micro set and their command line in "$@": compiles load.c and
# arena.c into $micro/target, unless nothing is to be built.
native=$micro/../src/main/native
build=yes
for word; do
    case $word in
        --no-build | --plot | --help) build=no ;;
    esac
done
if [ $build = yes ]; then
    make -s -C "$native" library OUT="$micro/target/library"
    for name in load arena; do
        "${CC:-gcc}" -std=c11 -O2 -Wall -Wextra -Wpedantic -Werror -pthread -I"$native" "$micro/$name.c" \
            "$micro/target/library/libpollux.a" -o "$micro/target/$name"
    done
fi
export POLLUX_PROGRAMS="$micro/target"
