#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Latency and throughput of one connection on loopback, by each way of waiting for it: see README.md here.
set -eu
program=ping
. "$(dirname "$0")/program.sh"
