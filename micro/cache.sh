#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The page cache on Interruptlets against Netty alone, loaded by our client or by wrk: see README.md here.
set -eu
micro=$(cd "$(dirname "$0")" && pwd)
program=interrupt
report=servers
case ${1:-} in
    serve)
        shift
        main=cache.Main
        report=
        alone=yes ;;
    wrk)
        shift
        command -v wrk >/dev/null || { echo "$0: wrk is missing (Debian has it)" >&2; exit 1; }
        . "$micro/common.sh"
        . "$micro/wrk.sh"
        exit ;;
    --plot) ;;
    *)
        main='servers.Main interrupt'
        native=load
        set -- --protocol mix "$@" ;;
esac
. "$micro/program.sh"
