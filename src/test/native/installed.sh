#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Installs the C library into an empty folder and uses it as a stranger does: see installed/Installed.java. That it can
# be built without a JDK is one of the checks, though they are written in Java.
# The last line is "N passed, N failed, N skipped".
set -euo pipefail
cd "$(dirname "$0")/../../.."

. .ci/setup.sh
need javac cc make pkg-config

dir=$(mktemp -d "${TMPDIR:-/tmp}/pollux-installed.XXXXXX")
trap 'rm -rf "$dir"' EXIT
program "$dir/classes" src/test/native/installed Installed "$dir"
