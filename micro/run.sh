#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Compares providers and the same system calls in C, prints a table and draws plots: see README.md here.
set -eu
program=run
native=floor
options=--add-exports=java.base/sun.nio.ch=ALL-UNNAMED
. "$(dirname "$0")/common.sh"
# JMH 1.37 uses what newer JDKs warn of.
quiet=--sun-misc-unsafe-memory-access=allow
! "$java" $quiet -version >/dev/null 2>&1 || options="$options $quiet"
. "$(dirname "$0")/program.sh"
