#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Interruptlets against other ways of serving, at 64 to 8000 connections: see README.md here.
set -eu
program=interrupt
report=servers
main='servers.Main interrupt'
native='load arena'
. "$(dirname "$0")/common.sh"
[ "${1:-}" = --plot ] || add_helidon
. "$micro/program.sh"
