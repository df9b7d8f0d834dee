#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The page cache on Interruptlets against Netty alone, loaded by our client or by wrk: see README.md here.
set -eu
micro=$(cd "$(dirname "$0")" && pwd)
case ${1:-} in
    serve)
        shift
        program=cache
        main=Main
        . "$micro/common.sh"
        exec "$java" -cp "$class_path" dev.pollux.micro.cache.Main "$@" ;;
    wrk)
        shift
        command -v wrk >/dev/null || { echo "$0: wrk is missing (Debian has it)" >&2; exit 1; }
        . "$micro/common.sh"
        . "$micro/wrk.sh"
        exit ;;
esac
program=interrupt
. "$micro/peers.sh"
[ "${1:-}" = --plot ] || set -- --protocol mix "$@"
. "$micro/program.sh"
