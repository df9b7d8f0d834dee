#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A byte runs round a ring of pipes, in C and in Java, by each way of waiting for it: see README.md here.
set -eu
program=ring
native=ring
. "$(dirname "$0")/program.sh"
