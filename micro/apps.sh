#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Measures unmodified servers on the JDK's selectors and on Pollux: see apps.md.
set -eu
[ "${1:-}" = --help ] || strace -o /dev/null true ||
    { echo 'apps.sh: strace is missing, or the system does not permit it' >&2; exit 1; }
. "$(dirname "$0")/common.sh"
exec "$java" -cp "$without_pollux" dev.pollux.micro.apps.Main --pollux "$micro/target/pollux.jar" \
    --logs "$micro/target/logs" --json "$micro/results/apps-$(date -u +%Y%m%dT%H%M%SZ).json" "$@"
