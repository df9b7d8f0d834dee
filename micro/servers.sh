#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Compares servers at many connections, one thread for each against one that watches all; or runs one server, or the
# client, by itself: see README.md here.
set -eu
program=servers
main='servers.Main servers'
native='load arena'
case ${1:-} in
    SimpleServer | PollingServer | Client)
        main=servers.Standalone
        report=
        alone=yes ;;
esac
. "$(dirname "$0")/program.sh"
