#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The page cache on Interruptlets against Netty alone: see README.md here.
set -eu
program=interrupt
report=servers
main='servers.Main interrupt --protocol mix'
native=load
. "$(dirname "$0")/program.sh"
