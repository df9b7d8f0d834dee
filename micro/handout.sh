#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What it costs and gains that a Poller hands out one ready member at a time: see README.md here.
set -eu
program=handout
. "$(dirname "$0")/program.sh"
