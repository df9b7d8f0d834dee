#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Compares servers at many connections, one thread for each against one that watches all: see README.md here.
set -eu
program=servers
. "$(dirname "$0")/program.sh"
